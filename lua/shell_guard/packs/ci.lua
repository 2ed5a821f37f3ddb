-- CI servers. Source: circleci.com/docs/local-cli, www.jenkins.io/doc/book/managing/cli,
-- buildkite.com/docs/platform/cli, and the reference of each program.

return [[
CI: Jenkins, CircleCI, Travis, Buildkite, Drone, Woodpecker
JENKINS = delete-*|remove-*|safe-shutdown|shutdown|safe-restart|restart|disable-job|disable-plugin|quiet-down|
  clear-queue|offline-node|disconnect-node|stop-builds
values circleci = --host --token
values java = -jar -s -cp -auth -i -user
values jenkins-cli = -s -auth -i -user
circleci-delete | circleci context delete|remove-secret ; circleci orb|namespace|pipeline|runner|project|policy|
  trigger delete ; circleci orb unlist ; circleci runner resource-class|token|instance delete|rm | removes what
  pipelines use
circleci-http-delete | @http DELETE circleci.com/api/* | removes what pipelines use
jenkins-cli | jenkins-cli ** $JENKINS | removes or stops what Jenkins builds
jenkins-delete | java ** $JENKINS ; @says jenkins | removes or stops what Jenkins builds
jenkins-http-delete | @http POST */dodelete */doDelete */doWipeOutWorkspace */safeExit */exit */kill */scriptText
  */script | removes or stops what Jenkins builds
travis-delete | travis cache --delete|-d ; travis env unset|clear ; travis disable ; travis cancel | removes or stops
  what pipelines use
drone-delete | drone|woodpecker-cli ** secret|orgsecret|cron|template|registry|repo rm|remove|disable ;
  drone|woodpecker-cli server destroy ; drone build stop ; woodpecker-cli pipeline stop|kill|purge | removes or stops
  what pipelines use
buildkite-delete | bk secret delete ; bk build|job cancel ; bk agent stop ; buildkite-agent build cancel | removes or
  stops what pipelines use
]]
