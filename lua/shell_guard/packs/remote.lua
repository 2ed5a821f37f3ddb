-- Other machines. Source: the manuals of rsync, scp, ssh-keygen and ssh-add.

return [[
copies to and commands on other machines: rsync, scp, ssh
values rsync = -e --rsh --exclude --include --filter --files-from --rsync-path --log-file -f -T -M
values scp = -P -i -F -o -c -J -l -S -D -X
values ssh = -i -p -l -o -F -J -L -R -D -b -c -e -E -I -m -O -Q -S -W -w -B
rsync-delete! | rsync --del|--delete|--delete-*|--remove-source-files ; @unless -n --list-only | removes what is not
  in the source | -n shows what would go
scp-system | scp ** *:/|*:/etc/*|*:/etc|*:/var/lib/*|*:/boot/*|*:/usr/*|*:/bin/*|*:/sbin/*|*:/lib/*|*:/lib64/*|
  *:*/.ssh/* ; @last | writes over files of another machine's system | Copy it to a folder of its own
ssh-rm | ssh ; @says rm -r ; @says rm -f ; @says " rm " ; @says "rmdir " ; @says git reset --hard ; @says git clean -
  ; @says mkfs ; @says dd if= ; @says shutdown ; @says reboot | removes files of another machine, or stops it | Look
  at what is there first: ssh HOST ls
known-hosts | ssh-keygen -R | forgets which key a machine has | ssh-keygen -F shows it
ssh-agent | ssh-add -d ; ssh-add -D | takes keys away from the agent | ssh-add -l lists them
clusters | pdsh|pssh|parallel-ssh|clush|fab|cap ; @says rm -r ; @says rm -f ; @says reboot ; @says shutdown ; @says
  destroy ; @says rollback | acts on many machines at once
]]
