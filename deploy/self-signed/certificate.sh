#!/bin/sh
# Makes the certificate of the webhook, unless there is one, and the patch that has API servers trust it. `--renew` makes another one; what
# was trusted before stays trusted (ca.old.crt), since pods have the new one a minute later. Needs `takeover` in the path.
set -eu
cd "$(dirname "$0")"
host=takeover-shadow.takeover.svc
if [ "${1-}" = --renew ]; then
  rm -rf new
  takeover shadow --make-certificate new --host "$host"
  [ ! -f ca.crt ] || mv ca.crt ca.old.crt
  mv new/ca.crt new/tls.crt new/tls.key .
  rmdir new
elif [ ! -f ca.crt ] || [ ! -f tls.crt ] || [ ! -f tls.key ]; then
  rm -f ca.crt tls.crt tls.key
  takeover shadow --make-certificate . --host "$host"
fi
touch ca.old.crt
cat > ca-bundle.yaml <<PATCH
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: takeover-shadow
webhooks:
  - name: shadow.takeover.dev
    clientConfig:
      caBundle: $(cat ca.crt ca.old.crt | base64 | tr -d '\n')
PATCH
