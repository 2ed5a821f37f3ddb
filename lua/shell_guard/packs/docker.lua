-- Docker and compatible programs. Source: docs.docker.com/reference/cli, docs.podman.io.

local VALUES = "--context -H --host -c --config -f --file -p --project-name --profile --log-level --env-file --project-directory"
local FIRST = "docker system df and docker ps -a show what there is"

return {
  about = "containers, images and volumes: docker, podman, nerdctl, docker compose",
  values = { docker = "--context -H --host -c --config -l --log-level", ["docker-compose"] = VALUES, podman = "--connection -c --url --root --log-level" },
  rules = {
    { "system-prune", runs = "docker|podman|nerdctl system prune", strict = true, because = "removes containers, networks and images", instead = FIRST },
    { "system-reset", runs = { "podman system reset", "podman machine rm|reset", "colima delete" }, because = "removes everything that it holds", instead = FIRST },
    { "prune", runs = { "docker|podman|nerdctl volume|image|container|network|builder|buildx|pod prune", "docker buildx prune" }, strict = true, because = "removes what nothing uses just now", instead = FIRST },
    { "volume-rm", runs = "docker|podman|nerdctl volume rm|remove", strict = true, because = "removes a volume with its contents", instead = "docker volume inspect shows what it is" },
    { "rm-force", runs = { "docker|podman|nerdctl rm --force|-f", "docker|podman|nerdctl container rm|remove --force|-f", "podman pod rm --force|-f", "podman rm --all|-a" }, strict = true, because = "ends and removes containers", instead = "Stop and remove it by name, without --force" },
    { "rmi-force", runs = { "docker|podman|nerdctl rmi --force|-f", "docker|podman|nerdctl image rm|remove --force|-f", "podman rmi --all|-a" }, strict = true, because = "removes images that are in use", instead = "Remove it without --force" },
    { "rm-volumes", runs = { "docker|podman|nerdctl rm --volumes|-v", "docker|podman|nerdctl container rm --volumes|-v" }, because = "removes containers with their volumes", instead = "Remove them without -v" },
    { "compose-down-volumes", runs = { "docker|podman compose ** down --volumes|-v", "docker-compose|podman-compose down --volumes|-v", "docker compose ** rm --volumes|-v", "docker-compose rm --volumes|-v" }, strict = true, because = "removes volumes with their contents", instead = "Use down alone, which keeps volumes" },
    { "compose-down-images", runs = { "docker|podman compose ** down --rmi", "docker-compose|podman-compose down --rmi" }, because = "removes images", instead = "Use down alone" },
    { "swarm", runs = { "docker swarm leave --force|-f", "docker stack rm|remove|down", "docker service rm|remove", "docker node rm|remove|demote", "docker secret|config|context|network rm|remove" }, because = "removes services or nodes of a swarm" },
    { "stop-all", runs = { "docker|podman kill", "docker|podman stop --all|-a" }, because = "ends containers at once", instead = "docker stop NAME lets it end by itself" },
  },
}
