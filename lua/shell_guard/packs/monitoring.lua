-- Monitoring. Source: docs.datadoghq.com/api, docs.newrelic.com, prometheus.io/docs/prometheus/latest/querying/api, grafana.com/docs,
-- github.com/martindstone/pagerduty-cli (README), docs.splunk.com.

local SHOW = "A GET of the same address shows what it is"

return {
  about = "monitoring: Datadog, New Relic, PagerDuty, Prometheus, Grafana, Splunk, Sentry",
  rules = {
    { "datadog", runs = { "datadog-ci monitors|dashboards|synthetics|slos delete", "dog monitor|timeboard|screenboard|dashboard|downtime delete|cancel_downtime", "dog monitor mute_all" }, because = "removes monitors or dashboards" },
    { "datadog-http", http = { "DELETE", "api.datadoghq.com/*", "api.datadoghq.eu/*", "api.*.datadoghq.com/*" }, because = "removes monitors or dashboards", instead = SHOW },
    { "newrelic", runs = "newrelic ** delete", because = "removes what is watched, or what watches it" },
    { "newrelic-http", http = { "DELETE", "api.newrelic.com/*", "api.eu.newrelic.com/*" }, because = "removes what is watched, or what watches it", instead = SHOW },
    { "newrelic-graphql", runs = "curl|http|wget|xh", says = { "mutation { delete", "mutation{delete", "mutation {delete" }, because = "removes what is watched, or what watches it" },
    { "pagerduty", runs = { "pd service|schedule|escalation-policy|user|team|tag|automation|ep ** delete|remove" }, because = "removes who is called and when" },
    { "pagerduty-http", http = { "DELETE", "api.pagerduty.com/*", "api.opsgenie.com/*", "api.victorops.com/*" }, because = "removes who is called and when", instead = SHOW },
    { "prometheus-http", http = { "ANY", "*/api/v1/admin/tsdb/delete_series*", "*/api/v1/admin/tsdb/clean_tombstones*" }, because = "removes what was measured", instead = "Query the same series first" },
    { "prometheus-files", runs = { "rm|unlink */etc/prometheus/*|*/etc/alertmanager/*|*/etc/grafana/*|*/var/lib/prometheus/*|*/var/lib/grafana/*" }, because = "removes rules or data of the monitoring" },
    { "prometheus-kubernetes", runs = "kubectl|oc delete prometheusrule|prometheusrules|servicemonitor|servicemonitors|podmonitor|prometheus|alertmanager|alertmanagerconfig|grafanadashboard", because = "removes what is watched" },
    { "grafana", runs = { "grafana-cli plugins uninstall|remove", "grafana-cli admin reset-admin-password", "grafana cli plugins uninstall|remove" }, because = "removes a plugin that dashboards may need" },
    { "grafana-http", http = { "DELETE", "*grafana*/api/*", "*:3000/api/dashboards/*", "*:3000/api/datasources/*", "*/api/dashboards/uid/*", "*/api/datasources/*", "*/api/alert-notifications/*" }, because = "removes dashboards, data sources or alerts", instead = SHOW },
    { "splunk", runs = { "splunk remove|delete|clean|disable", "splunk stop|offline" }, because = "removes what was logged, or who reads it" },
    { "splunk-http", http = { "DELETE", "*:8089/*" }, because = "removes what was logged, or who reads it" },
    { "sentry", runs = { "sentry-cli releases ** delete" }, because = "removes releases or their files" },
    { "sentry-http", http = { "DELETE", "sentry.io/api/*", "*.sentry.io/api/*", "logs.*.amazonaws.com/*", "api.honeycomb.io/*", "api.betterstack.com/*", "uptime.betterstack.com/*" }, because = "removes projects, issues or monitors" },
  },
}
