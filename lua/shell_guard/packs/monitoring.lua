-- Monitoring. Source: docs.datadoghq.com/api, docs.newrelic.com, prometheus.io/docs/prometheus/latest/querying/api,
-- grafana.com/docs,
-- github.com/martindstone/pagerduty-cli (README), docs.splunk.com.

return [[
monitoring: Datadog, New Relic, PagerDuty, Prometheus, Grafana, Splunk, Sentry
SHOW = A GET of the same address shows what it is
datadog | datadog-ci monitors|dashboards|synthetics|slos delete ; dog monitor|timeboard|screenboard|dashboard|downtime
  delete|cancel_downtime ; dog monitor mute_all | removes monitors or dashboards
datadog-http | @http DELETE api.datadoghq.com/* api.datadoghq.eu/* api.*.datadoghq.com/* | removes monitors or
  dashboards | $SHOW
newrelic | newrelic ** delete | removes what is watched, or what watches it
newrelic-http | @http DELETE api.newrelic.com/* api.eu.newrelic.com/* | removes what is watched, or what watches it
  | $SHOW
newrelic-graphql | curl|http|wget|xh ; @says mutation { delete ; @says mutation{delete ; @says mutation {delete
  | removes what is watched, or what watches it
pagerduty | pd service|schedule|escalation-policy|user|team|tag|automation|ep ** delete|remove | removes who is called
  and when
pagerduty-http | @http DELETE api.pagerduty.com/* api.opsgenie.com/* api.victorops.com/* | removes who is called and
  when | $SHOW
prometheus-http | @http ANY */api/v1/admin/tsdb/delete_series* */api/v1/admin/tsdb/clean_tombstones* | removes what
  was measured | Query the same series first
prometheus-files | rm|unlink */etc/prometheus/*|*/etc/alertmanager/*|*/etc/grafana/*|*/var/lib/prometheus/*|
  */var/lib/grafana/* | removes rules or data of the monitoring
prometheus-kubernetes | kubectl|oc delete prometheusrule|prometheusrules|servicemonitor|servicemonitors|podmonitor|
  prometheus|alertmanager|alertmanagerconfig|grafanadashboard | removes what is watched
grafana | grafana-cli plugins uninstall|remove ; grafana-cli admin reset-admin-password ; grafana cli plugins
  uninstall|remove | removes a plugin that dashboards may need
grafana-http | @http DELETE *grafana*/api/* *:3000/api/dashboards/* *:3000/api/datasources/* */api/dashboards/uid/*
  */api/datasources/* */api/alert-notifications/* | removes dashboards, data sources or alerts | $SHOW
splunk | splunk remove|delete|clean|disable ; splunk stop|offline | removes what was logged, or who reads it
splunk-http | @http DELETE *:8089/* | removes what was logged, or who reads it
sentry | sentry-cli releases ** delete | removes releases or their files
sentry-http | @http DELETE sentry.io/api/* *.sentry.io/api/* logs.*.amazonaws.com/* api.honeycomb.io/*
  api.betterstack.com/* uptime.betterstack.com/* | removes projects, issues or monitors
]]
