/** Programs of containers, clusters, other machines, keys and the environment: see `notation.ts`. */
export const SYSTEM_PROGRAMS = `
env genv | %leading -i,--ignore-environment,-:clean -u,--unset=:unset -C,--chdir=cd -S,--split-string=:split -0,--null
  -v -P= --block-signal=? --debug --default-signal=? --ignore-signal=? | program... | fn=environment assignments
. source | | script text...
ssh autossh slogin | %leading -i=uses -F=reads -o= -l= -p= -S= -J= -E=writes -b= -L= -R= -D= -W= -c= -m= -e= -B=
  -I=uses -Q= -w= -M= -O= -P= | host text...
mosh | %leading --ssh=line -p,--port= --server= --predict= --bind-server= | host text...
openssl | %single %exact -in=reads -out=writes -writerand=writes -keyout=writes -key=uses -inkey=uses -signkey=uses
  -CAkey=uses -CA=uses -CAfile=uses -CApath=uses -cert=uses -certfile=uses -subj= -config=uses -name= -pass= -passin=
  -passout= -newkey= -days= -nodes -text:text -noout:hides -pubout:hides -k= -kfile=reads -K= -iv= -S= -md= -digest=
  -sigopt= -signature=reads -verify=uses -sign=uses -rand=reads -connect=host -servername= -alpn= -proxy= -starttls=
  -inform= -outform= -engine= -extfile=reads -extensions= -CAserial=writes -crl= -chain -untrusted=uses -trusted=uses
  -recip=uses -signer=uses -export | guess? reads... | fn=openssl
gpg gpg2 | -o,--output=writes -r,--recipient= -R= --dry-run --delete-keys -u,--local-user= --passphrase=
  --passphrase-file=uses --passphrase-fd= --homedir=uses --keyring=uses --default-key= --keyserver=
  --export-secret-keys:shown --export-secret-subkeys:shown --import:uses --log-file=writes --status-fd=
  --pinentry-mode= -a,--armor -d,--decrypt -e,--encrypt -c -s,--sign -b --verify -k -K --batch --yes -q -v | uses:
  uses... ; reads...
age rage | -o,--output=writes -r,--recipient= -R,--recipients-file=reads -i,--identity=reads -d,--decrypt -e,--encrypt
  -a -p | reads...
docker podman nerdctl | %leading -H,--host= --config=uses -c,--context= -l,--log-level= -n,--namespace=
  --tlscacert=uses --tlscert=uses --tlskey=uses --debug --tls --tlsverify | subcommand text...
docker/run docker/create docker/container/run docker/container/create | %leading --env-file=uses -v,--volume=mounts
  --mount=mounts -w,--workdir= -e,--env= --name= -p,--publish= --network,--net= -u,--user= --entrypoint=entry
  -h,--hostname= -l,--label= --label-file=reads --cidfile=writes --platform= --restart= --memory,-m= --cpus= --gpus=
  --device= --add-host= --cap-add= --cap-drop= --security-opt= --tmpfs= --shm-size= --ulimit= --log-driver= --log-opt=
  --pull= --link= --volumes-from= --ipc= --pid= --userns= --rm -i,--interactive -t,--tty -d,--detach -P --init
  --privileged --read-only --secret= -a= -c= --annotation= --attach= --blkio-weight= --cgroup-parent= --cgroupns=
  --cpu-period= --cpu-quota= --cpu-shares= --cpuset-cpus= --detach-keys= --dns= --domainname= --expose= --group-add=
  --health-cmd= --ip= --isolation= --mac-address= --memory-swap= --network-alias= --pids-limit= --runtime=
  --stop-signal= --storage-opt= --sysctl= --build --disable-content-trust --no-deps --no-healthcheck --no-tty
  --oom-kill-disable --publish-all --quiet --remove-orphans --replace --service-ports --sig-proxy --use-aliases | text
  program... | elsewhere
docker/exec docker/container/exec | %leading --env-file=uses -e,--env= -u,--user= -w,--workdir= -i,--interactive
  -t,--tty -d,--detach --privileged --detach-keys= --index= --no-tty | text program... | elsewhere
docker/container docker/image docker/volume docker/network docker/system docker/context docker/buildx docker/builder |
  | subcommand text...
docker/ps docker/images docker/logs docker/stop docker/start docker/rm docker/rmi docker/pull docker/push docker/tag
  docker/inspect docker/stats docker/top docker/info docker/version docker/login docker/logout docker/kill
  docker/restart docker/wait docker/port | | text...
docker/build docker/image/build docker/buildx/build docker/buildx/bake docker/builder/build | -t,--tag=
  -f,--file=reads -o,--output=exports --build-arg= --target= --platform= --secret= --ssh= --cache-from= --cache-to=
  --label= --network= --add-host= --iidfile=writes --metadata-file=writes --build-context= --progress= --builder= -m=
  -c= | guess
docker/compose docker-compose podman-compose | %leading -f,--file=reads --env-file=uses -p,--project-name= --profile=
  --project-directory=cd --ansi= --progress= --parallel= --all-resources --compatibility --dry-run --verbose |
  subcommand text...
kubectl oc | --kubeconfig=uses -n,--namespace= --context= --cluster= --user= -s,--server= --token=
  --certificate-authority=uses --client-key=uses --client-certificate=uses -o,--output= -l,--selector= -v,--v=
  --field-selector= --template= | subcommand guess...
kubectl/get kubectl/describe kubectl/logs kubectl/delete kubectl/scale kubectl/rollout kubectl/top kubectl/wait
  kubectl/explain kubectl/config kubectl/label kubectl/annotate kubectl/port-forward kubectl/expose kubectl/autoscale
  kubectl/cluster-info | --kubeconfig=uses -n,--namespace= -o,--output= -l,--selector= -f,--filename=uses --template=
  -c,--container= --context= | text...
kubectl/apply kubectl/create kubectl/replace kubectl/diff | --kubeconfig=uses -n,--namespace= -o,--output=
  -f,--filename=uses -k,--kustomize=uses -l,--selector= --from-file=guess --from-env-file=reads --from-literal=
  --type= --dry-run=? | guess...
kubectl/exec | %leading -n,--namespace= -c,--container= --kubeconfig=uses -i,--stdin -t,--tty -f,--filename=
  --pod-running-timeout= --context= -q,--quiet | text program? text... | elsewhere after=--
helm | --kubeconfig=uses -n,--namespace= -f,--values=uses --set= --set-file=guess --version= --repo= --kube-context= |
  guess...
printenv | -0,--null | text... | fn=environment
xargs gxargs | %leading -a,--arg-file=list -I= -i,--replace=? -n,--max-args= -P,--max-procs= -L= -d,--delimiter=
  -s,--max-chars= -e,--eof=? --process-slot-var= -0,--null -r,--no-run-if-empty -t,--verbose -p,--interactive
  -x,--exit -E= -J= -l,--max-lines=? -R= -S= -o,--open-tty --show-limits | program? text...
parallel | %leading -a,--arg-file=list --arg-sep= --basefile= --block= -C,--colsep= --delay= -d,--delimiter= -E= -e=?
  --env= --halt= --header= -I= -i=? -j,-P,--jobs= --joblog=writes -L= -l=? --limit= --load= -M= -n,--max-args=
  -N,--max-replace-args= -s,--max-chars= --max-line-length-allowed= --max-procs= --memfree= --nice= --profile=
  --recend= --recstart= --regexp= --results=below --retries= --rpl= --shellquote= --sqlmaster= --sshdelay=
  -S,--sshlogin= --sshloginfile= --tagstring= --tempdir= --termseq= --timeout= --tmpdir= --transferfile= --trim=
  -W,--workdir= --bar --bg --cat --citation --dry-run,--dryrun --eta --fifo --group -k,--keep-order --line-buffer
  --link --no-notice -r,--no-run-if-empty -0,--null --pipe --pipepart --plus --progress -q,--quote --resume
  --resume-failed --semaphore --shuf --tag --tty -u,--ungroup -v,--verbose --will-cite -X,--xargs -m --help,-h
  --version,-V | text... | fn=parallel
dotenv dotenv-cli | -e,--env=uses -f,--file=reads --env-file=uses -p=guess:prints -v= -o --quiet | program... |
  fn=environment after=--
env-cmd honcho foreman | -e,--env=uses -f,--file,--env-file=uses --quiet | guess... | fn=environment
dotenvx | -e,--env=uses -f,--file,--env-file=uses --quiet | subcommand guess... | fn=environment
uvicorn gunicorn hypercorn flask | --env-file=uses --ssl-keyfile=uses --ssl-certfile=uses --keyfile=uses
  --certfile=uses --key=uses --cert=uses --host= --port= -b,--bind= -w= --log-config=uses --app= --reload --debug |
  text...
keytool jarsigner | %single -keystore=uses -destkeystore=writes -srckeystore=uses -storepass= -keypass= -alias= -file=
  -list -genkey | guess...
ansible ansible-playbook ansible-console | --private-key,--key-file=uses --vault-password-file=uses -i,--inventory=
  -e,--extra-vars= -u= -l= -t= -m,--module-name= -a,--args=line -b -k -K -f= -M= | guess...
mkcert | %single -key-file=writes -cert-file=writes -p12-file=writes | text...
certbot | --key-path=uses --cert-path=uses --config-dir= --work-dir= --logs-dir= -d= -m= -w= | subcommand text...
`;
