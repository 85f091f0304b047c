module scaling.example.com/api

go 1.24.0

require (
	k8s.io/apimachinery v0.34.1
	sigs.k8s.io/controller-runtime v0.22.3
)
