// This module only keeps takeover-oracle out of the SDK's module: it compiles inside a checkout of Kubernetes. See README.md.
module takeover.dev/oracle/kubernetes

go 1.24
