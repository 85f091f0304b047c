module sigs.k8s.io/controller-runtime

go 1.21

require k8s.io/apimachinery v0.36.0
