-- Programs that run a command on another machine or in a container.
return require("file_guard.words").set "ssh mosh docker podman nerdctl kubectl oc docker-compose vagrant lxc incus"
