module takeover.dev/oracle

go 1.21
