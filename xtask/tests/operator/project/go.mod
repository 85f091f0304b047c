module shop.example.com/operator

go 1.21

require (
	k8s.io/apimachinery v0.36.0
	sigs.k8s.io/controller-runtime v0.24.0
)

replace (
	k8s.io/apimachinery => ../stubs/apimachinery
	sigs.k8s.io/controller-runtime => ../stubs/controller-runtime
)
