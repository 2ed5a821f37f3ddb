import { casesOf, namedCases, rowsIn } from "../cases.ts";

/** A command for each choice of the words that may stand at a place: `az delete|purge`. A word alone may be a pipe. */
function commandsOf(written: string): string[] {
  return written
    .split(" ")
    .map((word) => (/^\|+$/.test(word) ? [word] : word.split("|")))
    .reduce<string[][]>(
      (all, words) => all.flatMap((some) => words.map((one) => [...some, one])),
      [[]],
    )
    .map((words) => words.join(" "));
}

/** Rows of lines/shell-guard-packs.txt. */
const ROWS = namedCases("shell-guard-packs").flatMap(([what, written]) => {
  const [kind = "", name] = what.split(" ");
  return commandsOf(written).map((command) =>
    name === undefined ? { kind: "stop", name: what, command } : { kind, name, command },
  );
});

/**
 * Rows that have an option with a value between program and subcommand, as lines/shell-guard-pack-options.txt lists them:
 * options, and below them the commands of rows that are stopped with each of the options as well.
 */
const WITH_OPTIONS = (() => {
  const stopped = ROWS.filter(({ kind }) => kind === "stop");
  const found: typeof ROWS = [];
  let options: readonly string[] = [];
  for (const row of rowsIn("shell-guard-pack-options")) {
    if (!row.startsWith("\t")) options = row.split(" ");
    const commands = casesOf(row.slice(1));
    for (const { kind, name, command } of stopped.filter((each) => commands.includes(each.command)))
      for (const option of options)
        found.push({ kind, name, command: command.replace(" ", ` ${option} given `) });
  }
  return found;
})();

/** Lines that level "strict" stops, with the rule of a pack that is on at this level. */
export const STRICT = ROWS.filter(({ kind }) => kind === "strict").map(({ name, command }) => ({
  id: name,
  command,
}));

/**
 * Lines by pack. A line that begins with `name:` is stopped by this rule of the pack; one that begins with `-` passes with
 * the pack on.
 */
const PACK_LINES: Readonly<Record<string, string>> = {
  "api-gateways": `
    kong-reset: deck gateway reset --force
    kong-sync: deck gateway sync kong.yaml --select-tag team-a
    kong-delete: curl -X DELETE http://localhost:8001/services/orders
    kong-delete: curl -s localhost:8001/routes/r1 --request DELETE
    apigee: gcloud --project p apigee apis delete orders
    apigee: apigeecli products attributes delete --name orders
    aws: aws --region eu-west-1 apigatewayv2 delete-api --api-id 1
    tyk: curl -X DELETE https://gateway.example/tyk/apis/1
    - deck gateway diff kong.yaml
    - deck gateway apply kong.yaml
    - curl http://localhost:8001/services
    - aws apigateway get-rest-apis
    - apigeecli apis list
    - kong start`,
  aws: `
    iam: aws iam attach-user-policy --user-name x --policy-arn arn:aws:iam::aws:policy/AdministratorAccess
    delete: aws iam delete-user --user-name x
    - aws iam list-attached-user-policies --user-name x
    delete: aws ec2 terminate-instances --instance-ids i-1
    delete: aws --profile prod rds delete-db-instance --db-instance-identifier prod
    delete: aws cloudformation delete-stack --stack-name prod
    delete: cd infra && AWS_PROFILE=prod aws dynamodb delete-table --table-name users
    s3-rm-recursive: aws s3 rm s3://bucket/x --recursive
    s3-sync-delete: aws s3 sync . s3://bucket --delete
    change-batch: aws route53 change-resource-record-sets --hosted-zone-id Z --change-batch '{"Changes":[{"Action":"DELETE"}]}'
    scale-to-zero: aws ecs update-service --service web --desired-count 0
    put-secret: aws secretsmanager put-secret-value --secret-id db --secret-string x
    stop: aws ecs stop-task --task t1
    - aws rds restore-db-instance-from-db-snapshot --db-instance-identifier new --db-snapshot-identifier s
    - aws ec2 describe-instances
    - aws s3 ls s3://delete-me
    - aws s3 sync . s3://bucket
    - aws s3 rm s3://bucket --recursive --dryrun
    - aws ec2 delete-vpc help
    - aws sts get-caller-identity --profile delete-things
    - aws logs tail /aws/lambda/delete-user
    - aws lambda get-function --function-name terminate-instances`,
  azure: `
    group-delete: az group delete --name prod --yes
    delete: az vm delete -g prod -n web
    delete: az storage blob delete-batch -s logs
    azcopy-sync-delete: azcopy sync ./a https://x.blob.core.windows.net/c --delete-destination=true
    - az group list
    - az vm show -g prod -n delete
    - az storage blob list -c logs
    - azcopy sync ./a https://x.blob.core.windows.net/c --delete-destination=false
    - azcopy copy ./a https://x.blob.core.windows.net/c`,
  backup: `
    restic: restic -r /srv/backup forget --keep-last 1 --prune
    borg: borg delete repo::monday
    borg: borg prune --keep-daily 7 repo
    velero: velero backup delete nightly --confirm
    kopia: kopia snapshot delete k1
    kopia: kopia snapshot expire /home --delete
    borg-change: borg key change-passphrase repo
    duplicity: duplicity remove-older-than 6M --force file:///b
    databases: proxmox-backup-client snapshot forget host/web/2026-01-01T00:00:00Z
    - kopia snapshot expire /home
    - borg key export repo key.txt
    - borg2 undelete repo
    - duplicity remove-older-than 6M file:///b
    - proxmox-backup-client snapshot list
    - restic snapshots
    - restic forget --keep-last 3 --dry-run
    - borg list repo
    - borg create repo::monday src
    - velero backup get
    - tmutil listbackups`,
  cdn: `
    wrangler-delete: wrangler kv key delete --binding=KV name
    wrangler-delete: wrangler r2 bucket delete assets
    wrangler-delete: wrangler queues purge jobs
    wrangler-delete: wrangler secrets-store secret delete s1
    fastly: fastly service delete --service-id 1
    cloudfront: aws cloudfront delete-distribution --id E1 --if-match T
    http-purge: curl -X POST https://api.cloudflare.com/client/v4/zones/1/purge_cache -d '{"purge_everything":true}'
    http-delete: curl -X DELETE https://api.fastly.com/service/1
    - wrangler deploy --dry-run
    - wrangler kv key list --binding=KV
    - fastly service list
    - aws cloudfront list-distributions`,
  ci: `
    circleci-delete: circleci context delete github acme prod
    circleci-http-delete: curl -X DELETE https://circleci.com/api/v2/project/gh/a/b/envvar/X
    jenkins-delete: java -jar jenkins-cli.jar -s http://jenkins.local/ delete-job deploy
    jenkins-cli: jenkins-cli -s http://ci:8080/ delete-node agent-1
    jenkins-delete: java -jar jenkins-cli.jar -s http://ci:8080/ stop-builds deploy
    buildkite-delete: bk secret delete --cluster-uuid c --secret-id s
    drone-delete: woodpecker-cli repo secret rm --repository a/b --name KEY
    jenkins-http-delete: curl -X POST https://jenkins.local/job/deploy/doDelete
    - bk build list
    - buildkite-agent secret get KEY
    - jenkins-cli -s http://ci:8080/ list-jobs
    - circleci config validate
    - java -jar jenkins-cli.jar -s http://jenkins.local/ list-jobs
    - java -jar app.jar delete-cache
    - curl https://jenkins.local/job/deploy/api/json
    - curl -X POST https://jenkins.local/job/deploy/build`,
  databases: `
    drop: hive -e 'DROP TABLE x'
    drop: spark-sql -e 'DROP DATABASE x CASCADE'
    - hive -e 'SHOW TABLES'
    drop: psql -c "DROP TABLE users"
    drop: psql -h db -U app --command="drop database prod"
    drop: mysql -u root -e 'DROP DATABASE prod'
    drop: sqlite3 app.db "drop table users;"
    drop: echo 'DROP TABLE users;' | psql prod
    drop: psql prod <<EOF⏎DROP SCHEMA public CASCADE;⏎EOF
    drop: mysql <<< "alter table users drop column email"
    drop: mysql -e "drop/* all */table users"
    drop: psql -c "  drop -- the old one⏎ table users"
    truncate: psql -c 'TRUNCATE users'
    truncate: cqlsh -e "TRUNCATE ks.users"
    delete-all: psql -c "select 1; DELETE FROM users;"
    delete-all: mariadb -e "delete from users -- where id = 1"
    delete-all: psql -c "delete from logs; select ' where '"
    delete-all: psql -c "with old as (select 1) delete from logs"
    update-all: psql -c "UPDATE users SET admin = true"
    grant-all: mysql -e "GRANT ALL ON *.* TO 'x'@'%'"
    purge-logs: mysql -e "PURGE BINARY LOGS BEFORE '2026-01-01'"
    mongo: mongosh prod --eval "db.dropDatabase()"
    mongo: mongosh --eval 'db.users.deleteMany({})'
    redis: redis-cli -h cache FLUSHALL
    redis-script: redis-cli eval "return redis.call('flushall')" 0
    postgresql-drop: dropdb --maintenance-db test app
    postgresql-restore: pg_restore --clean -d app app.dump
    orm: goose -dir migrations postgres "user=app" down
    orm: migrate -path migrations -database postgres://db/app down
    orm: dbmate -u postgres://db/app rollback
    redis-server: redis-cli acl deluser app
    - dropdb --if-exists app_test
    - pg_restore -C -d postgres app.dump
    - initdb -D build/data
    - goose postgres "user=app" up
    - migrate -path migrations -database postgres://db/app up
    - python manage.py sqlflush
    - psql -c "SELECT * FROM users WHERE name = 'drop table users'"
    - psql -c "DELETE FROM users WHERE id = 1"
    - psql -c "UPDATE users SET admin = false WHERE id = 1"
    - psql -f migrations/001_drop_users.sql
    - mysql -e "SHOW TABLES; -- DROP TABLE users"
    - sqlite3 app.db .schema
    - psql -c "\\d users"
    - redis-cli get flushall
    - mongosh --eval "db.users.find({})"
    - mongosh --eval 'db.users.deleteMany({ old: true })'
    - prisma migrate dev
    - rails db:migrate
    - pg_dump prod
    - mysqldump prod users
    - truncate -s 0 build/log.txt`,
  devices: `
    adb-rm: adb -s emulator-5554 shell rm -r /sdcard/x
    adb-uninstall: adb uninstall com.example
    adb-shell: adb shell 'pm clear com.example'
    fastboot: fastboot flash boot boot.img
    fastboot: fastboot flashing unlock
    fastboot: fastboot format:ext4 userdata
    boards: dfu-util -s 0x08000000:mass-erase:force -D firmware.bin
    - adb shell rm /sdcard/screen.png
    - fastboot oem device-info
    - dfu-util -D firmware.bin
    - adb devices
    - adb logcat -d
    - adb install app.apk
    - fastboot devices`,
  dns: `
    route53: aws route53 delete-hosted-zone --id Z1
    cloudflare-http: curl -X DELETE https://api.cloudflare.com/client/v4/zones/1/dns_records/2
    nsupdate: echo 'update delete www.example.com A' | nsupdate -k key
    transfer: dig @ns1.example.com example.com AXFR
    domains: curl -X DELETE https://api.digitalocean.com/v2/domains/example.com
    - dig example.com MX
    - aws route53 list-hosted-zones
    - nslookup example.com
    - curl https://api.cloudflare.com/client/v4/zones`,
  docker: `
    system-prune: docker system prune -af --volumes
    rm-force: docker rm -vf web
    rm-force: docker rm -f $(docker ps -aq)
    volume-rm: docker volume rm data
    compose-down-volumes: docker compose -f a.yml down -v
    - docker ps -a
    - docker rm web
    - docker rmi web
    - docker compose down
    - docker compose up -d --force-recreate
    - docker run --rm -v .:/app node npm test
    - docker build -f Dockerfile .
    - docker volume ls`,
  email: `
    ses: aws sesv2 delete-email-identity --email-identity example.com
    sendgrid: curl -X DELETE https://api.sendgrid.com/v3/templates/1
    mailgun: curl -s --user api:key -X DELETE https://api.mailgun.net/v3/domains/example.com
    postmark: http DELETE https://api.postmarkapp.com/servers/1
    others: curl -XDELETE https://api.resend.com/domains/1
    postfix: postsuper -d ALL
    - aws ses list-identities
    - curl https://api.sendgrid.com/v3/templates
    - curl -X POST https://api.postmarkapp.com/email -d '{}'
    - postqueue -p`,
  "feature-flags": `
    launchdarkly: ldcli flags delete --flag f --project p
    launchdarkly-http: curl -X DELETE https://app.launchdarkly.com/api/v2/flags/p/f
    flipt: flipt flag delete f
    flipt-http: curl -X DELETE http://flags:8080/api/v1/namespaces/default/flags/f
    split: split splits kill f
    split-http: curl -X DELETE https://api.split.io/internal/api/v2/splits/f
    unleash: unleash features archive f
    unleash-http: curl -X DELETE http://flags:4242/api/admin/projects/p
    flagsmith-http: curl -X DELETE https://api.flagsmith.com/v1/features/1
    - ldcli flags list --project p
    - split -l 100 file.txt
    - split splits list
    - flipt evaluate --flag f
    - unleash features list`,
  gcloud: `
    iam: gcloud projects add-iam-policy-binding p --member=user:x --role=roles/owner
    - gcloud projects get-iam-policy p
    delete: gcloud compute instances delete web --zone a
    delete: gcloud --project p sql instances delete db
    storage-rm: gcloud storage rm gs://b/x
    gsutil-rm: gsutil -m rm -r gs://b
    storage-rsync-delete: gcloud storage rsync a gs://b --delete-unmatched-destination-objects -n
    bq-rm: bq rm -r -f p:data
    firebase: firebase functions:secrets:destroy KEY
    firebase: firebase firestore:databases:delete d1
    - firebase deploy
    - gcloud compute instances list --filter delete
    - gcloud projects describe p
    - gsutil ls gs://b
    - gcloud storage rsync a gs://b --delete-unmatched-destination-objects --dry-run
    - bq query 'select 1'
    - gcloud help compute instances delete`,
  github: `
    repo-delete: gh repo delete acme/web --yes
    delete: gh release delete v1
    delete: gh secret delete KEY
    delete: gh variable remove KEY
    delete: gh workflow disable ci.yml
    - gh ruleset list
    api-delete: gh api -X DELETE repos/a/b
    http-delete: curl -X DELETE https://api.github.com/repos/a/b
    - gh repo view acme/web
    - gh pr create --title "delete the old code"
    - gh api repos/a/b
    - gh run list
    - gh issue list --label delete
    - gh repo clone acme/delete`,
  gitlab: `
    delete: glab repo delete acme/web
    delete: glab repo transfer acme/web --target-namespace other
    settings-delete: glab opentofu state delete prod
    - glab repo archive acme/web
    api-delete: glab api -X DELETE projects/1
    http-delete: curl --request DELETE https://gitlab.example/api/v4/projects/1
    runner-unregister: gitlab-runner unregister --all-runners
    rails: gitlab-rails runner "Project.find(1).destroy!"
    - glab mr list
    - glab api projects/1
    - gitlab-runner list
    - curl https://gitlab.example/api/v4/projects
    - gitlab-rails runner "puts Project.count"`,
  helm: `
    uninstall: helm -n prod uninstall web
    uninstall: helm delete web
    rollback: helm rollback web 1
    upgrade-force: helm upgrade web ./chart --force
    helmfile-destroy: helmfile -e prod destroy
    - helm uninstall web --dry-run
    - helm list -A
    - helm template ./delete
    - helm upgrade --install web ./chart
    - helm history web`,
  hosting: `
    heroku: heroku apps:destroy web --confirm web
    fly: fly apps destroy web
    fly: fly volumes delete vol_1
    fly: fly volumes rm vol_1
    deployments: vercel remove web --yes
    vercel-settings: vc env rm KEY production
    doctl: doctl compute droplet delete 1
    doctl: doctl compute volume del 1
    heroku: heroku ps:stop web
    http-delete: curl -X DELETE https://api.heroku.com/apps/web
    - heroku logs --tail
    - fly status
    - vercel deploy
    - netlify deploy --prod
    - doctl compute droplet list
    - heroku run rails console`,
  infrastructure: `
    pulumi-destroy: pulumi destroy --yes
    cdk-destroy: cdk destroy --all --force
    vm-delete: incus rm vm1
    vm-delete: VBoxManage unregistervm vm1 --delete-all
    ansible-absent: ansible all -m file -a 'path=/srv state=absent'
    vagrant-destroy: vagrant destroy -f
    virsh-destroy: virsh undefine vm1
    nomad: nomad job stop -purge web
    - pulumi preview
    - cdk diff
    - cdk deploy
    - ansible all -m ping
    - ansible all -m file -a 'path=/srv state=absent' --check
    - vagrant up
    - virsh list`,
  kubernetes: `
    delete-namespace: kubectl delete ns prod
    delete-namespace: k delete namespace/prod
    delete: kubectl -n prod delete deploy web
    delete: kubectl --context=prod delete -f k8s/
    delete: kubectl delete -k overlays/prod
    delete: kubectl delete po -l app=web
    delete: kubectl delete pod web-1 --force
    delete: kubectl delete pod/web-1 svc/web
    delete: kubectl delete pod,svc web
    delete: kubectl delete $KIND web
    delete: k delete sts db
    delete: minikube kubectl -- delete deploy web
    delete: oc delete deployment web
    drain: kubectl drain node-1
    scale-to-zero: kubectl scale deploy/web --replicas 0
    replace: kubectl replace --force -f a.yml
    argocd-delete: argocd app delete web
    replace-cluster: k3d cluster rm dev
    etcdctl-delete: etcdctl member remove 8211f1d0f64f3269
    - kubectl get pods -n delete
    - kubectl -n prod delete pod web-1 web-2
    - kubectl delete pod/web-1 po/web-2
    - kubectl delete deploy web --dry-run=client
    - kubectl delete --help
    - kubectl describe pod delete-me
    - kubectl apply -f k8s/
    - kubectl scale deploy/web --replicas=3
    - kubectl logs delete`,
  "load-balancers": `
    elb: aws elbv2 delete-load-balancer --load-balancer-arn a
    haproxy-socket: echo 'disable server web/1' | socat stdio /run/haproxy.sock
    nginx: nginx -s stop
    service-stop: sudo systemctl stop nginx
    config: rm /etc/nginx/nginx.conf
    http-delete: curl -X DELETE http://localhost:2019/config/apps
    - nginx -t
    - nginx -s reload
    - systemctl reload nginx
    - systemctl status haproxy
    - haproxy -c -f haproxy.cfg
    - echo 'show servers state' | socat stdio /run/haproxy.sock
    - docker stop db`,
  messaging: `
    kafka-delete-topic: kafka-topics --bootstrap-server k:9092 --delete --topic orders
    kafka-consumer-groups: kafka-consumer-groups.sh --bootstrap-server k:9092 --delete --group g
    kafka-reset-offsets: kafka-consumer-groups --bootstrap-server k:9092 --reset-offsets --to-earliest --execute --group g --topic t
    rabbitmq-delete: rabbitmqctl -p prod delete_queue jobs
    rabbitmq-delete: rabbitmqadmin purge queue name=jobs
    rabbitmq-delete: rabbitmqadmin --vhost prod queues delete --name jobs
    kafka-kcat: confluent schema-registry subject delete --subject orders-value
    nats-delete: nats -s nats://n stream purge ORDERS -f
    sqs: aws sqs purge-queue --queue-url q
    sns: aws sns delete-topic --topic-arn t
    redpanda: rpk topic delete orders
    - kafka-consumer-groups --bootstrap-server k:9092 --reset-offsets --to-earliest --group g --topic t
    - rabbitmqadmin queues list
    - confluent kafka topic list
    - kafka-topics --bootstrap-server k:9092 --list
    - kafka-consumer-groups --bootstrap-server k:9092 --reset-offsets --dry-run --group g --topic t
    - rabbitmqctl list_queues
    - nats stream info ORDERS
    - rpk topic list
    - aws sqs receive-message --queue-url q`,
  monitoring: `
    datadog-http: curl -X DELETE https://api.datadoghq.com/api/v1/monitor/1
    newrelic-http: curl -X DELETE https://api.newrelic.com/v2/alerts_policies/1.json
    newrelic-graphql: curl https://api.newrelic.com/graphql -d '{"query":"mutation { deleteDashboard(id: 1) }"}'
    pagerduty-http: curl -X DELETE https://api.pagerduty.com/services/P1
    prometheus-http: curl -X POST 'http://localhost:9090/api/v1/admin/tsdb/delete_series?match[]=up'
    grafana-http: curl -X DELETE http://grafana.local/api/dashboards/uid/1
    splunk: splunk clean eventdata -index main
    splunk-http: curl -X DELETE https://s:8089/services/data/indexes/main
    sentry-http: curl -X DELETE https://sentry.io/api/0/projects/a/b/
    prometheus-files: rm /etc/prometheus/rules.yml
    - curl http://localhost:9090/api/v1/query?query=up
    - promtool check config prometheus.yml
    - amtool silence expire 1
    - newrelic entity search --name web
    - splunk search error
    - curl http://grafana.local/api/search
    - sentry-cli releases list`,
  payment: `
    stripe: stripe customers delete cus_1
    stripe-http: curl -X DELETE https://api.stripe.com/v1/customers/cus_1
    square: square catalog delete 1
    square-http: curl -X DELETE https://connect.squareup.com/v2/customers/1
    braintree-http: curl -X DELETE https://api.braintreegateway.com/merchants/1/customers/2
    others-http: curl -X DELETE https://api-m.paypal.com/v1/billing/plans/1
    code: python -c "import braintree; braintree.Customer.delete('1')"
    - stripe listen
    - stripe customers list
    - curl https://api.stripe.com/v1/customers
    - python -c "print(1)"`,
  registries: `
    npm-unpublish: npm unpublish left-pad --force
    npm-publish: npm publish --access public
    cargo-yank: cargo yank --version 1.0.0
    cargo-publish: cargo publish -p core
    gem-yank: gem yank web -v 1.0.0
    pypi: twine upload dist/a.tar.gz
    java: ./gradlew :core:publish
    java: mvn clean deploy
    npm-owner: npm token delete t1
    dotnet: conan remove zlib/1.3 -r corp
    images: skopeo delete docker://acme/web:1
    images: regctl tag rm acme/web:1
    uninstall: conda env remove -n web
    - docker push acme/web:1
    - docker buildx build --push -t acme/web:1 .
    - pip uninstall -y requests
    - conda remove numpy
    - conan remove zlib/1.3
    - ./gradlew :core:publishToMavenLocal
    - npm profile get
    - npm publish --dry-run
    - npm pack
    - npm install
    - npm uninstall lodash
    - npm uninstall -g typescript
    - cargo publish --dry-run
    - cargo build
    - mvn package
    - pip install requests
    - docker pull acme/web
    - cargo yank --undo --version 1.0.0`,
  remote: `
    rsync-delete: rsync -a --delete src/ host:dest/
    rsync-delete: rsync -a --remove-source-files src/ dest/
    scp-system: scp app.conf root@host:/etc/app.conf
    ssh-rm: ssh host 'rm -rf build'
    ssh-rm: ssh user@host "cd repo && git reset --hard"
    known-hosts: ssh-keygen -R host
    clusters: pdsh -w h[1-9] 'rm -rf build'
    - rsync -a src/ dest/
    - rsync -an --delete src/ dest/
    - rsync -a --delete --dry-run src/ dest/
    - scp host:/etc/hosts .
    - scp a.txt host:/home/me/
    - ssh host ls -la
    - ssh-keygen -lf key.pub
    - ssh-add -l`,
  search: `
    elasticsearch-delete: curl -X DELETE localhost:9200/logs
    elasticsearch-delete: curl -u a:b -XDELETE "https://search.example:9200/logs-*"
    elasticsearch-delete-by-query: curl -X POST localhost:9200/logs/_delete_by_query -d '{}'
    elasticsearch-close: curl -X POST localhost:9200/logs/_close
    elasticsearch-settings: curl -X PUT localhost:9200/_cluster/settings -d '{}'
    meilisearch-delete: curl -X DELETE http://localhost:7700/indexes/movies
    meilisearch-delete-batch: curl -X POST http://localhost:7700/indexes/movies/documents/delete-batch -d '[1]'
    algolia-delete: curl -X DELETE https://APP-dsn.algolia.net/1/indexes/products
    algolia-clear: curl -X POST https://APP.algolia.net/1/indexes/products/clear
    algolia-code: node -e "client.deleteIndex('a'); index.clearObjects()"
    typesense-delete: curl -X DELETE http://localhost:8108/collections/books
    - curl localhost:9200/_cat/indices
    - curl -X POST localhost:9200/logs/_search -d '{}'
    - curl -X PUT localhost:9200/logs -d '{}'
    - curl http://localhost:7700/indexes
    - node -e "client.search('a')"`,
  secrets: `
    vault-delete: vault kv metadata delete secret/app
    vault-disable: vault --namespace admin secrets disable kv/
    vault-http: curl -X DELETE https://vault.local:8200/v1/secret/data/app
    onepassword: op item delete "Database"
    onepassword: op item rm "Database"
    infisical: infisical secrets folders delete --name app
    doppler: doppler secrets delete KEY --project p --yes
    aws: aws secretsmanager delete-secret --secret-id db
    aws-overwrite: aws ssm put-parameter --name a --value b --overwrite
    keychain: gpg --delete-secret-keys me
    - vault kv get secret/app
    - vault status
    - op item get "Database"
    - doppler run -- npm start
    - aws secretsmanager describe-secret --secret-id db
    - aws ssm put-parameter --name a --value b
    - gpg --list-keys`,
  server: `
    packages: sudo apt-get purge nginx
    packages: apt-get autoremove -y nginx
    pacman: pacman -Rns nginx
    pacman: pacman -Rcns nginx
    - apt-get autoremove -y
    - pacman -Rp nginx
    - journalctl --rotate
    services: systemctl stop postgresql
    network: ip link set eth0 down
    logs: journalctl --vacuum-time 1s
    - apt-get install nginx
    - apt-get remove -s nginx
    - systemctl status postgresql
    - systemctl restart postgresql
    - iptables -S
    - tmux ls
    - ip addr
    - journalctl -u web
    - brew list`,
  storage: `
    hdfs: hdfs dfs -rm -r /data
    hdfs: hadoop fs -rmr /data
    - hdfs dfs -ls /data
    - hadoop fs -put a /data
    s3: aws s3 rb s3://bucket --force
    s3: aws s3 sync . s3://bucket --delete
    s3api: aws s3api delete-objects --bucket b --delete file://d.json
    minio: mc --json rm --recursive local/bucket
    minio: mc mirror --remove a b
    gcs: gsutil -m rm -r gs://b
    azure-blob: az storage container delete -n c
    gcs: gcloud storage rsync a gs://b --delete-unmatched-destination-objects -n
    gcs-rsync: gsutil rsync -d -r a gs://b
    s3cmd: s3cmd del s3://b/x
    s3-clients: s5cmd mv -n s3://b/x s3://b/y
    - s3cmd -n del s3://b/x
    rclone: rclone sync a remote:b
    http-delete: curl -X DELETE https://b.s3.amazonaws.com/x
    - aws s3 cp a s3://b
    - mc ls local/bucket
    - mc cp a local/bucket
    - rclone copy a remote:b
    - rclone sync a remote:b --dry-run
    - gsutil cp a gs://b
    - az storage blob list -c c`,
  terraform: `
    destroy: terraform -chdir=infra destroy -auto-approve
    destroy: terragrunt stack run destroy
    apply-unseen: terragrunt run --all apply --non-interactive
    - terragrunt run --all plan
    apply-destroy: tofu apply -destroy
    state-rm: terraform state rm aws_instance.web
    taint: terraform taint aws_instance.web
    workspace-delete: terraform workspace delete old
    force-unlock: terraform force-unlock -force 1
    - terraform plan -destroy
    - terraform init
    - terraform apply plan.tfplan
    - terraform state list
    - terraform validate
    - terraform destroy -help`,
};

/**
 * The lines of each pack: those that it stops, with the rule, and those that pass. The file has one for every word that
 * may stand at a place of a rule, for every address, and for every option whose value is no operand: these are varied.
 */
export const PER_PACK = Object.entries(PACK_LINES).map(([name, text]) => {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replaceAll("⏎", "\n"))
    .filter(Boolean);
  const stop = lines.flatMap((line) => {
    const [, rule, command = ""] = /^([a-z0-9-]+): ([\s\S]+)$/.exec(line) ?? [];
    return rule === undefined ? [] : [{ id: `${name}.${rule}`, command, isVaried: false }];
  });
  const pass = lines.filter((line) => line.startsWith("- ")).map((line) => line.slice(2));
  for (const row of ROWS) if (row.kind === "pass" && row.name === name) pass.push(row.command);
  for (const [rows, isVaried] of [
    [ROWS, false],
    [WITH_OPTIONS, true],
  ] as const) {
    for (const { kind, name: id, command } of rows) {
      if (kind === "stop" && id.startsWith(`${name}.`)) stop.push({ id, command, isVaried });
    }
  }
  return { name, stop, pass };
});
