#!/bin/sh
# Makes the certificate of the webhook, and the patch that has API servers trust it. Needs `takeover` in the path.
set -eu
cd "$(dirname "$0")"
takeover shadow --make-certificate . --host takeover-shadow.takeover.svc
cat > ca-bundle.yaml <<PATCH
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: takeover-shadow
webhooks:
  - name: shadow.takeover.dev
    clientConfig:
      caBundle: $(base64 < ca.crt | tr -d '\n')
PATCH
