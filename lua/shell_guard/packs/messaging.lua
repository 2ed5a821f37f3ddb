-- Brokers. Source: kafka.apache.org/documentation, docs.redpanda.com, rabbitmq.com/docs/cli, docs.nats.io, pulsar.apache.org/docs.

local KAFKA = "kafka-topics|kafka-topics.sh"

return {
  about = "topics and queues: Kafka, Redpanda, RabbitMQ, NATS, Pulsar, SQS, SNS, Pub/Sub, Mosquitto",
  values = {
    nats = "-s --server --context --creds --user --password", rabbitmqctl = "-n --node -p --vhost -t --timeout",
    rabbitmqadmin = "-H --host -P --port -u --username -p --password -V --vhost -N --node -c --config", aws = "--profile --region --output --endpoint-url --query",
    rpk = "--brokers -X --profile --config",
  },
  rules = {
    { "kafka-delete-topic", runs = KAFKA .. " --delete", because = "removes a topic with its messages", instead = "--describe shows what it is" },
    { "kafka-consumer-groups", runs = { "kafka-consumer-groups|kafka-consumer-groups.sh --delete", "kafka-consumer-groups|kafka-consumer-groups.sh --delete-offsets" }, because = "removes what a group has read", instead = "--describe shows the group" },
    { "kafka-reset-offsets", runs = "kafka-consumer-groups|kafka-consumer-groups.sh --reset-offsets --execute", because = "lets a group read again, or leave out messages", instead = "Without --execute, it only shows the new offsets" },
    { "kafka-configs", runs = "kafka-configs|kafka-configs.sh --delete-config", because = "removes settings, so that messages may be removed", instead = "--describe shows them" },
    { "kafka-acls", runs = "kafka-acls|kafka-acls.sh --remove", because = "takes rights away", instead = "--list shows them" },
    { "kafka-delete-records", runs = { "kafka-delete-records|kafka-delete-records.sh", "kafka-storage|kafka-storage.sh format", "kafka-server-stop|kafka-server-stop.sh", "zookeeper-shell|zookeeper-shell.sh|zkcli.sh ** deleteall|delete|rmr", "kafka-streams-application-reset|kafka-streams-application-reset.sh" }, because = "removes messages" },
    { "kafka-kcat", runs = { "kafkactl delete", "confluent ** delete", "kaf topic|group delete" }, because = "removes a topic, a cluster or a key" },
    { "redpanda", runs = { "rpk topic delete|trim-prefix", "rpk group delete|seek|offset-delete", "rpk cluster|redpanda|security|acl|wasm|transform ** delete", "rpk topic alter-config --delete", "rpk container purge" }, because = "removes a topic, a group or settings" },
    { "rabbitmq-delete", runs = { "rabbitmqadmin ** delete|delete_*|purge|close|close_*|clear|clear_*", "rabbitmqctl delete_*|purge_queue|clear_*|remove_*|close_*" }, because = "removes a queue, an exchange, a user or rights", instead = "Use list to see what there is" },
    { "rabbitmq-node", runs = { "rabbitmqctl forget_cluster_node|reset|force_reset|force_boot|stop|stop_app|shutdown|rename_cluster_node", "rabbitmq-plugins disable", "rabbitmq-queues delete_member", "rabbitmq-upgrade drain" }, because = "takes a node out of its cluster, or empties it" },
    { "nats-delete", runs = { "nats stream|str|consumer|con|kv|object|obj|account|bucket|context|service|auth delete|del|rm|remove|purge", "nats kv|bucket|object purge|del|delete|rm|revert|compact|seal", "nats stream|str rmm|seal|restore" }, because = "removes messages or what keeps them", instead = "nats stream info shows what there is" },
    { "nsc-delete", runs = "nsc delete", because = "removes accounts or users" },
    { "pulsar", runs = { "pulsar-admin topics|namespaces|tenants|subscriptions|clusters|functions|schemas delete|delete-*|clear-backlog|unload|terminate|truncate|skip-all|unsubscribe" }, because = "removes topics or what is in them" },
    { "sqs", runs = "aws sqs delete-*|purge-*|remove-*", because = "removes messages or a queue", instead = "aws sqs get-queue-attributes shows the queue" },
    { "sns", runs = "aws sns delete-*|unsubscribe|remove-*", because = "removes a topic or its subscriptions", instead = "aws sns get-topic-attributes shows the topic" },
    { "pubsub", runs = { "gcloud pubsub topics|subscriptions|snapshots|schemas delete", "gcloud pubsub subscriptions seek" }, because = "removes a topic, a subscription or messages" },
    { "mosquitto", runs = { "mosquitto_ctrl dynsec deleteclient|deletegroup|deleterole", "mosquitto_passwd -D" }, because = "removes clients of a broker" },
  },
}
