/**
 * Shells and their builtins, and programs that run a command among their words or in the values of their options: see
 * `notation.ts`. The rows do not say what else these do.
 */
export const RUNNERS = `
ash bash csh dash fish ksh mksh rbash sh tcsh zsh | %leading %plus -o= -O= --rcfile= --init-file= |
read | -a= -d= -i= -n= -N= -p= -t= -u= -r -s -e | text... | waits
mapfile readarray | -c= -C= -d= -n= -O= -s= -u= |
complete compgen | -A= -C= -F= -G= -P= -S= -W= -X= -o= |
- nocorrect noglob and not or | | program... | in-place functions
aa-exec | -p= -n= -f= --profile= --namespace= --file= | program...
adb | -H= -L= -P= -s= -t= | subcommand
adb/shell | -e= | program... | elsewhere joined
agetty getty | -l=entry --login-program=entry -a= -o= --autologin= |
alacritty gnome-terminal konsole xterm | | | after=-e,--command,-x,--
arch | -d= -e= | program...
# Their subcommands run something. The first name is none, so that each has only its own.
(group) asdf aws-vault cabal chamber codex/sandbox doppler fnm gcloud/compute heroku incus infisical lerna limactl lxc
  machinectl mise multipass nix nvm op perf plymouth pyenv rbenv rustup task vagrant volta xdotool | | subcommand
at | -f= -q= -t= | | shell waits
aws-vault/exec | -d= -r= -m= -t= | text program... | after=--
batch | | | shell waits
bpftrace | -c=line -e= -p= |
builtin | | program... | in-place
bun/x bunx | -p= --package= --bun --no-install --verbose | program...
bundle/exec | --keep-file-descriptors | program...
busybox aoss chronic distcc dumb-init eatmydata ifne i386 kitty linux32 linux64 lvm (rtk)/err (rtk)/proxy (rtk)/run
  (rtk)/summary (rtk)/test tini torify toybox unbuffer winpty x86_64 asdf/exec corepack poetry/run pyenv/exec
  rbenv/exec yarn/exec firejail grc pexec | | program...
bwrap | --args= --block-fd= --cap-add= --cap-drop= --chdir=cd --dev= --dir= --exec-label= --file-label= --gid=
  --hostname= --info-fd= --json-status-fd= --lock-file= --mqueue= --perms= --proc= --remount-ro= --seccomp=
  --add-seccomp-fd= --size= --sync-fd= --tmpfs= --uid= --unsetenv= --userns= --userns2= --userns-block-fd= --pidns=
  --bind== --bind-try== --dev-bind== --dev-bind-try== --ro-bind== --ro-bind-try== --bind-data== --ro-bind-data==
  --file== --symlink== --setenv== --chmod== --bind-fd== --ro-bind-fd== --as-pid-1 --clearenv --die-with-parent
  --new-session --share-net --unshare-all --unshare-cgroup --unshare-ipc --unshare-net --unshare-pid --unshare-user
  --unshare-uts | program...
cabal/exec | --project-file= | program... | after=--
caffeinate | -t= -w= | program...
capsh | | | after=-- as=bash
cargo-watch | -s=line -x= -w= -i= -d= -B= -C= -E= -L= --shell=line --exec= --watch= --ignore= --delay= --workdir=
  --env= | | after=-- also=cargo
cargo/watch | -s=line -x= -w= -i= -d= -B= -C= -E= -L= --shell=line --exec= --watch= --ignore= --delay= --workdir=
  --env= | | after=--
certbot/certonly certbot/renew certbot/run | -d= -m= --domain= --email= --pre-hook=line --post-hook=line
  --deploy-hook=line --renew-hook=line --manual-auth-hook=line --manual-cleanup-hook=line |
cgexec | -g= | program...
chamber/exec | | | after=--
choom | -n= -p=:idle --adjust= --pid=:idle | program...
chpst | -b= -c= -d= -e= -f= -g= -l= -m= -n= -o= -p= -P= -r= -s= -t= -u= -v= -U= -/= | program...
chroot | --userspec= --groups= --skip-chdir | text program... | elsewhere
chrt | -T= -P= -D= -p:idle --pid:idle | text program...
clush | -w= -g= -x= -f= | program... | elsewhere joined
codex/sandbox/linux codex/sandbox/macos | --full-auto | program...
concurrently | -c= -n= -p= -s= -l= --names= --prefix= --prefix-colors= --success= --kill-others --raw | program... |
  each
conda/run | -n= -p= --name= --prefix= --cwd= --live-stream --no-capture-output --verbose | program...
cpulimit | -l= -p= -e= --limit= --pid= --exe= | program...
cross-env | | program... | assignments
cross-env-shell | | program... | joined assignments
ctest | --launcher=line |
daemonize | -a= -c= -e= -o= -p= -u= -l= -E= | program... | waits
dbus-launch | --exit-with-session | program...
dbus-run-session | --config-file= | program...
direnv/exec npm/explore nvm/exec nvm/run gosu logsave setlock setuidgid su-exec | | text program...
dnsmasq | --conf-script=line --dhcp-script=line --conf-file= |
doas | -a= -C= -u= -L:idle -s:shell | program... | fresh
docker/compose/exec docker/sandbox/exec | -e= -u= -w= --env= --env-file= --user= --workdir= --detach-keys= --index=
  --detach --interactive --privileged --tty --no-tty | text program... | elsewhere
docker/compose/run | -a= -c= -e= -h= -l= -m= -p= -u= -v= -w= --add-host= --annotation= --attach= --blkio-weight=
  --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpu-period= --cpu-quota= --cpu-shares= --cpus=
  --cpuset-cpus= --detach-keys= --device= --dns= --domainname= --entrypoint=entry --env= --env-file= --expose= --gpus=
  --group-add= --health-cmd= --hostname= --ip= --ipc= --isolation= --label= --label-file= --link= --log-driver=
  --log-opt= --mac-address= --memory= --memory-swap= --mount= --name= --network= --network-alias= --pid= --pids-limit=
  --platform= --publish= --pull= --restart= --runtime= --security-opt= --shm-size= --stop-signal= --storage-opt=
  --sysctl= --tmpfs= --ulimit= --user= --userns= --volume= --volumes-from= --workdir= --build --detach
  --disable-content-trust --init --interactive --no-deps --no-healthcheck --no-tty --oom-kill-disable --privileged
  --publish-all --quiet --read-only --remove-orphans --replace --rm --service-ports --sig-proxy --tty --use-aliases |
  text program... | elsewhere
docker/sandbox | | subcommand
doppler/run | --command=line | | after=--
dotenvx/run | -f= | program... | after=--
emulate | -o= | text program... | as=sh
enscript | -I=line --filter=line -o= -p= --output= |
exec | -a= | program...
fakeroot | -l= -s= -i= -b= --lib= --faked= | program...
faketime | -f= | text program...
flatpak-spawn | --env= --directory= --host --clear-env --watch-bus | program...
flock | -c=line -w= -E= --command=line --timeout= --wait= --conflict-exit-code= --close --exclusive --nb --no-fork
  --nonblock --shared --unlock --verbose | text program...
fly flyctl | | subcommand
fly/ssh | | subcommand
fly/ssh/console | -a= -C=line -r= --command=line --app= |
fnm/exec | --using= | program... | after=--
fzf | --preview=line |
gcloud/compute/ssh | --command=line --zone= --project= |
gem/open | -e=line --editor=line -v= |
heroku/run | -a= -s= --app= | program... | elsewhere joined
hyperfine | -s=line -w= -m= -M= -r= -p=line -c=line -P= -D= -L= -S= -u= -N= -n= --warmup= --runs= --prepare=line
  --cleanup=line --setup=line --export-json= --export-markdown= --shell= --show-output --ignore-failure | program... |
  each
infisical/run | --command=line --env= --path= --projectId= --tags= --token= --watch-interval= | program... | after=--
ionice | -c= -n= -p=:idle -P=:idle -u=:idle --class= --classdata= --ignore | program...
ksu genie | | | after=-e,-c
kubectl/debug | -c= -n= -f= --image= --target= --namespace= --stdin --tty | text program... | elsewhere after=--
kubectl/run | -c= -n= -f= --image= --namespace= --restart= --overrides= --env= --labels= --attach --command --expose
  --quiet --rm --stdin --tty --wait | text program... | elsewhere after=--
lerna/exec | --scope= --ignore= --concurrency= | program... | after=--
limactl/shell | --workdir= | text program... | elsewhere after=--
ltrace | -a= -A= -e= -E= -F= -l= -n= -o= -s= -u= -w= -x= -p= | program...
lxc/exec incus/exec multipass/exec machinectl/shell | | text program... | elsewhere after=--
mailx | --exec=line -s= -a= -r= |
mpirun | -n= -H= -x= --np= --host= --hostfile= | program...
multitime | -n= -I= -r= -i= -o= -s= | program...
nice | -n= --adjustment= | program...
nix-shell | -p= -A= --run=line --command=line |
nix/develop nix/shell | | | after=-c,--command
nodemon | -x=line -e= -w= --exec=line --ext= --watch= |
npm/exec npm/x npx pnpm/exec pnpm/dlx pnpx | -c=line -p= -w= --cache= --call=line --dir= --filter= --loglevel=
  --package= --prefix= --registry= --shell= --workspace= --bail --ignore-existing --include-workspace-root --no
  --no-install --offline --parallel --prefer-offline --quiet --recursive --silent --workspaces --yes | program...
nsenter | -t= -S= -G= --target= --setuid= --setgid= --all --mount --net --pid --uts | program... | elsewhere
numactl | -C= -N= -m= -p= -i= | program...
onchange mise/exec mise/x tox/exec | | program... | after=--
op/run | --env-file= | program... | after=--
pdsh | -w= -x= -g= -l= -t= -u= -R= -f= | program... | elsewhere joined
perf/record | -e= -o= -F= -g= -p= -C= | program...
perf/stat | -e= -o= -r= -p= -C= | program...
perf/trace | -e= -o= -p= | program...
pidstat | -e=entry |
pip/config | --editor=line |
pkexec | --user= --disable-internal-agent | program... | fresh
plymouth/ask-for-password plymouth/ask-question | --command=line --prompt= |
prlimit | -p= -o= | program...
proot | -r= -b= -w= -q= -k= | program... | elsewhere
proxychains proxychains4 | -f= | program...
pssh | -h= -H= -l= -p= -o= -e= -t= -O= -x= -X= | program... | elsewhere joined
repeat | | text program... | functions
rlwrap | -a= -b= -c= -C= -D= -e= -f= -g= -H= -i= -l= -m= -M= -n= -p= -P= -q= -s= -S= -t= -w= -z= | program...
rtk | | program... | also=(rtk)
(rtk) | | subcommand
runuser | -c= -g= -G= -s= -T= -u= -w= --command= --session-command= --group= --supp-group= --shell=
  --whitelist-environment= --user= | program... | fresh also=su
rustup/run | --install | text program...
sbatch | --wrap=line |
screen | -c= -e= -h= -p= -S= -s= -t= -r:idle -x:idle | program... | waits
scrot | -e=line --exec=line -d= -q= --delay= --quality= |
sem | -j= -P= --jobs= --id= --semaphorename= --semaphoretimeout= --max-procs= --bg --fg --wait | program... | joined
setarch | | text program... | also=chronic
setpriv | --reuid= --regid= --groups= --inh-caps= --ambient-caps= --bounding-set= --securebits= --clear-groups
  --init-groups --keep-groups --no-new-privs --reset-env | program...
setsid | --ctty --fork --wait | program... | waits
nohup | | program... | waits
sg | -c=line | text program... | joined except=run,scan,test,new,lsp,help,completions
softlimit | -m= -d= -s= -l= -a= -o= -p= -f= -c= -r= -t= | program...
sops/exec-env | | text program... | joined
srun | -n= -N= -c= -p= -t= -A= -J= -w= --ntasks= --nodes= --partition= --time= --pty | program...
ssh-agent | -a= -E= -P= -t= | program...
sshpass | -p= -f= -d= -P= | program...
sshuttle | -r= -e=line --remote= --ssh-cmd=line |
start-stop-daemon | -p= -n= -u= -d= -r= -x=entry -a=entry --exec=entry --startas=entry --pidfile= --chuid= --user=
  --name= --background --make-pidfile --start --stop | program... | waits
stdbuf | -i= -o= -e= --input= --output= --error= | program...
strace | -a= -b= -e= -E= -I= -o= -O= -p= -P= -s= -S= -u= -U= -X= --trace= --output= --follow-forks | program...
su | -c=line -C=line -g= -G= -s= -T= -w= --command=line --session-command=line --group= --supp-group= --shell=
  --whitelist-environment= --fast --login --preserve-environment --pty | | fresh shell
sudo | -a= -C= -c= -D=cd -g= -h= -p= -R= -r= -T= -t= -U= -u= --auth-type= --close-from= --chdir=cd --group= --host=
  --login-class= --other-user= --prompt= --chroot= --role= --command-timeout= --type= --user= --askpass --background
  --bell --edit:idle --help --list:idle --login:shell --non-interactive --preserve-env --preserve-groups
  --remove-timestamp --reset-timestamp --set-home --shell:shell --stdin --validate:idle --version:idle -e:idle -K:idle
  -l:idle -V:idle -v:idle -s:shell -i:shell | program... | fresh mixed
systemd-inhibit | --what= --who= --why= --mode= | program...
systemd-run | -E= -p= -u= -H= -M= --unit= --property= --setenv= --slice= --uid= --gid= --working-directory=
  --description= --on-active= --on-calendar= --timer-property= --collect --no-block --pipe --pty --quiet --same-dir
  --scope --shell --user --wait | program... | fresh waits
task/execute | | program...
taskset | --cpu-list --all-tasks -p:idle --pid:idle | text program...
tcpdump | -z=entry -w= -W= -G= -i= -c= -r= -Z= |
time | -f= -o= --format= --output= --append --portability --quiet --verbose | program...
timeout gtimeout | -k= -s= --kill-after= --signal= --foreground --preserve-status --verbose | text program... | waits
tmate | -c=line -f= -S= |
tmux | -c=line -f= -L= -S= -T= | subcommand
tmux/display-popup | -b= -c= -d= -e= -h= -s= -S= -T= -t= -w= -x= -y= | program... | joined
tmux/if-shell | -t= | program... | each
tmux/new tmux/new-session tmux/new-window tmux/neww tmux/split-window tmux/splitw | -c= -e= -n= -s= -t= -F= -l= -x=
  -y= | program... | joined
tmux/pipe-pane | -t= | program... | joined
tmux/respawn-pane tmux/respawn-window | -c= -e= -t= | program... | joined
tmux/run-shell tmux/run | -c= -d= -t= | program... | joined
tmux/send-keys tmux/send | -c= -t= -N= | program... | joined
torsocks | -a= -P= -u= | program...
tox | -e= -c= | subcommand
unshare | -S= -G= -R= -w= --root= --wd= --setuid= --setgid= --fork --map-root-user --mount --net --pid --user |
  program...
uv/run | -p= -m= -n= --python= --with= --with-editable= --with-requirements= --project= --directory= --extra= --group=
  --only-group= --package= --env-file= --index-url= --active --all-extras --all-groups --dev --exact --frozen
  --isolated --locked --no-cache --no-dev --no-project --no-sync --offline --quiet --verbose | program...
uv/tool/run | -p= --from= --with= --python= | program...
uvx | -p= --from= --with= --python= --isolated --no-cache --offline --quiet | program...
vagrant/ssh | -c=line --command=line | | elsewhere
valgrind | --leak-check --track-origins | program...
volta/run | --node= --npm= --yarn= | program...
watch | -n= -q= --interval= --equexit= --beep --chgexit --color --differences --errexit --exec --no-title --precise |
  program... | joined waits
watchexec | -e= -w= -f= -i= --exts= --watch= --filter= --ignore= --clear --restart | program... | waits
wsl | -d= -u= --distribution= --user= --exec= | program... | after=--,-e,--exec
xdotool/exec | --sync --terminator= | program...
xvfb-run | -e= -f= -n= -p= -s= -w= --server-args= --server-num= --error-file= --auto-servernum | program...
yarn/dlx | -p= --package= --quiet | program...
`;
