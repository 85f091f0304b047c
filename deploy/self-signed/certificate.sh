#!/bin/sh
# Makes the certificate of the webhook, unless there is one, and the patch that has API servers trust it. `--renew` makes another one; what
# was trusted before stays trusted (ca.old.crt), since pods have the new one a minute later. Needs `takeover` in the path.
#
# May be interrupted anywhere: what is made is complete once it is `next`, and the next run goes on with it.
set -eu
cd "$(dirname "$0")"
host=takeover-shadow.takeover.svc

take() {
  if [ -f ca.crt ] && ! cmp -s ca.crt next/ca.crt; then
    touch ca.old.crt
    cat ca.crt ca.old.crt > part
    mv part ca.old.crt
  fi
  for file in tls.key tls.crt ca.crt; do
    cp next/$file part
    mv part $file
  done
  mv next new
  rm -rf new
}

rm -rf new part
[ ! -d next ] || take
if [ "${1-}" = --renew ] || [ ! -f ca.crt ] || [ ! -f tls.crt ] || [ ! -f tls.key ]; then
  takeover shadow --make-certificate new --host "$host"
  mv new next
  take
fi
touch ca.old.crt
cat > ca-bundle.yaml <<PATCH
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  name: zz-takeover-shadow
webhooks:
  - name: shadow.takeover.dev
    clientConfig:
      caBundle: $(cat ca.crt ca.old.crt | base64 | tr -d '\n')
PATCH
