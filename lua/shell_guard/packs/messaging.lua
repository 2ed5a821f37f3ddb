-- Brokers. Source: kafka.apache.org/documentation, docs.redpanda.com, rabbitmq.com/docs/cli, docs.nats.io,
-- pulsar.apache.org/docs.

return [[
topics and queues: Kafka, Redpanda, RabbitMQ, NATS, Pulsar, SQS, SNS, Pub/Sub, Mosquitto
KAFKA = kafka-topics|kafka-topics.sh
values aws = --profile --region --output --endpoint-url --query
values nats = -s --server --context --creds --user --password
values rabbitmqadmin = -H --host -P --port -u --username -p --password -V --vhost -N --node -c --config
values rabbitmqctl = -n --node -p --vhost -t --timeout
values rpk = --brokers -X --profile --config
kafka-delete-topic | $KAFKA --delete | removes a topic with its messages | --describe shows what it is
kafka-consumer-groups | kafka-consumer-groups|kafka-consumer-groups.sh --delete ; kafka-consumer-groups|
  kafka-consumer-groups.sh --delete-offsets | removes what a group has read | --describe shows the group
kafka-reset-offsets | kafka-consumer-groups|kafka-consumer-groups.sh --reset-offsets --execute | lets a group read
  again, or leave out messages | Without --execute, it only shows the new offsets
kafka-configs | kafka-configs|kafka-configs.sh --delete-config | removes settings, so that messages may be removed
  | --describe shows them
kafka-acls | kafka-acls|kafka-acls.sh --remove | takes rights away | --list shows them
kafka-delete-records | kafka-delete-records|kafka-delete-records.sh ; kafka-storage|kafka-storage.sh format ;
  kafka-server-stop|kafka-server-stop.sh ; zookeeper-shell|zookeeper-shell.sh|zkcli.sh ** deleteall|delete|rmr ;
  kafka-streams-application-reset|kafka-streams-application-reset.sh | removes messages
kafka-kcat | kafkactl delete ; confluent ** delete ; kaf topic|group delete | removes a topic, a cluster or a key
redpanda | rpk topic delete|trim-prefix ; rpk group delete|seek|offset-delete ; rpk cluster|redpanda|security|acl|
  wasm|transform ** delete ; rpk topic alter-config --delete ; rpk container purge | removes a topic, a group or
  settings
rabbitmq-delete | rabbitmqadmin ** delete|delete_*|purge|close|close_*|clear|clear_* ; rabbitmqctl
  delete_*|purge_queue|clear_*|remove_*|close_* | removes a queue, an exchange, a user or rights | Use list to see
  what there is
rabbitmq-node | rabbitmqctl forget_cluster_node|reset|force_reset|force_boot|stop|stop_app|shutdown|
  rename_cluster_node ; rabbitmq-plugins disable ; rabbitmq-queues delete_member ; rabbitmq-upgrade drain | takes a
  node out of its cluster, or empties it
nats-delete | nats stream|str|consumer|con|kv|object|obj|account|bucket|context|service|auth
  delete|del|rm|remove|purge ; nats kv|bucket|object purge|del|delete|rm|revert|compact|seal ; nats stream|str
  rmm|seal|restore | removes messages or what keeps them | nats stream info shows what there is
nsc-delete | nsc delete | removes accounts or users
pulsar | pulsar-admin topics|namespaces|tenants|subscriptions|clusters|functions|schemas delete|delete-*|
  clear-backlog|unload|terminate|truncate|skip-all|unsubscribe | removes topics or what is in them
sqs | aws sqs delete-*|purge-*|remove-* | removes messages or a queue | aws sqs get-queue-attributes shows the queue
sns | aws sns delete-*|unsubscribe|remove-* | removes a topic or its subscriptions | aws sns get-topic-attributes
  shows the topic
pubsub | gcloud pubsub topics|subscriptions|snapshots|schemas delete ; gcloud pubsub subscriptions seek | removes a
  topic, a subscription or messages
mosquitto | mosquitto_ctrl dynsec deleteclient|deletegroup|deleterole ; mosquitto_passwd -D | removes clients of a
  broker
]]
