-- Docker and compatible programs. Source: docs.docker.com/reference/cli, docs.podman.io.

return [[
containers, images and volumes: docker, podman, nerdctl, docker compose
VALUES = --context -H --host -c --config -f --file -p --project-name --profile --log-level --env-file
  --project-directory
FIRST = docker system df and docker ps -a show what there is
values docker = --context -H --host -c --config -l --log-level
values docker-compose = $VALUES
values podman = --connection -c --url --root --log-level
system-prune! | docker|podman|nerdctl system prune | removes containers, networks and images | $FIRST
system-reset | podman system reset ; podman machine rm|reset ; colima delete | removes everything that it holds
  | $FIRST
prune! | docker|podman|nerdctl volume|image|container|network|builder|buildx|pod prune ; docker buildx prune | removes
  what nothing uses just now | $FIRST
volume-rm! | docker|podman|nerdctl volume rm|remove | removes a volume with its contents | docker volume inspect shows
  what it is
rm-force! | docker|podman|nerdctl rm --force|-f ; docker|podman|nerdctl container rm|remove --force|-f ; podman pod rm
  --force|-f ; podman rm --all|-a | ends and removes containers | Stop and remove it by name, without --force
rmi-force! | docker|podman|nerdctl rmi --force|-f ; docker|podman|nerdctl image rm|remove --force|-f ; podman rmi
  --all|-a | removes images that are in use | Remove it without --force
rm-volumes | docker|podman|nerdctl rm --volumes|-v ; docker|podman|nerdctl container rm --volumes|-v | removes
  containers with their volumes | Remove them without -v
compose-down-volumes! | docker|podman compose ** down --volumes|-v ; docker-compose|podman-compose down --volumes|-v ;
  docker compose ** rm --volumes|-v ; docker-compose rm --volumes|-v | removes volumes with their contents | Use down
  alone, which keeps volumes
compose-down-images | docker|podman compose ** down --rmi ; docker-compose|podman-compose down --rmi | removes images
  | Use down alone
swarm | docker swarm leave --force|-f ; docker stack rm|remove|down ; docker service rm|remove ; docker node
  rm|remove|demote ; docker secret|config|context|network rm|remove | removes services or nodes of a swarm
stop-all | docker|podman kill ; docker|podman stop --all|-a | ends containers at once | docker stop NAME lets it end
  by itself
]]
