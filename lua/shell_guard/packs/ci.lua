-- CI servers. Source: circleci.com/docs/local-cli, www.jenkins.io/doc/book/managing/cli, buildkite.com/docs/platform/cli, and the reference of each program.

local JENKINS = "delete-*|remove-*|safe-shutdown|shutdown|safe-restart|restart|disable-job|disable-plugin|quiet-down|clear-queue|offline-node|disconnect-node|stop-builds"

return {
  about = "CI: Jenkins, CircleCI, Travis, Buildkite, Drone, Woodpecker",
  values = { circleci = "--host --token", ["jenkins-cli"] = "-s -auth -i -user", java = "-jar -s -cp -auth -i -user" },
  rules = {
    { "circleci-delete", runs = { "circleci context delete|remove-secret", "circleci orb|namespace|pipeline|runner|project|policy|trigger delete", "circleci orb unlist", "circleci runner resource-class|token|instance delete|rm" }, because = "removes what pipelines use" },
    { "circleci-http-delete", http = { "DELETE", "circleci.com/api/*" }, because = "removes what pipelines use" },
    { "jenkins-cli", runs = "jenkins-cli ** " .. JENKINS, because = "removes or stops what Jenkins builds" },
    { "jenkins-delete", runs = "java ** " .. JENKINS, says = { "jenkins" }, because = "removes or stops what Jenkins builds" },
    { "jenkins-http-delete", http = { "POST", "*/dodelete", "*/doDelete", "*/doWipeOutWorkspace", "*/safeExit", "*/exit", "*/kill", "*/scriptText", "*/script" }, because = "removes or stops what Jenkins builds" },
    { "travis-delete", runs = { "travis cache --delete|-d", "travis env unset|clear", "travis disable", "travis cancel" }, because = "removes or stops what pipelines use" },
    { "drone-delete", runs = { "drone|woodpecker-cli ** secret|orgsecret|cron|template|registry|repo rm|remove|disable", "drone|woodpecker-cli server destroy", "drone build stop", "woodpecker-cli pipeline stop|kill|purge" }, because = "removes or stops what pipelines use" },
    { "buildkite-delete", runs = { "bk secret delete", "bk build|job cancel", "bk agent stop", "buildkite-agent build cancel" }, because = "removes or stops what pipelines use" },
  },
}
