/** Shells of databases, and what saves them. */
export const DATABASE_PROGRAMS = `
sqlite3 sqlite sqlcipher duckdb | %single -cmd,-c,-s=code:code -init,-f=script -separator= -newline= -nullvalue= -vfs=
  -maxsize= -mmap= -lookaside= -pagecache= -heap= -key= -readonly:reads -batch -bail -csv -json -line -list -markdown
  -table -html -column -header -noheader -echo -interactive -safe -version -stats -quote -ascii -box -A | text?
  code... | fn=database lang=sql
psql | -c,--command=code -f,--file=reads -d,--dbname= -h,--host=host -p,--port= -U,--username= -v,--set,--variable=
  -P,--pset= -F,--field-separator= -R= -T= -o,--output=writes -L,--log-file=writes -w -W,--password -X -A -t
  -q,--quiet -a,--echo-all -e -E -b -l,--list -s -S -1 --csv | guess... | lang=psql
mysql mariadb | -e,--execute=code -h,--host=host -P,--port= -u,--user= -D,--database= --tee=writes -S,--socket=
  --ssl-key= --ssl-cert= --ssl-ca= --default-character-set= --defaults-file=reads --init-command=code -p=? | guess...
  | lang=psql
pg_dump pg_dumpall pg_restore | -f,--file=writes -h,--host=host -p,--port= -U,--username= -d,--dbname= -t,--table=
  -T,--exclude-table= -n,--schema= -N= -F,--format= -E,--encoding= -j,--jobs= -e,--extension= -Z,--compress= -S= -l=
  -L=reads -c,--clean -C,--create -s,--schema-only -w -W,--password -a -O -x -v --list | guess...
mysqldump mariadb-dump | -r,--result-file=writes -T,--tab=below -h,--host=host -u,--user= -P,--port= -p,--password=?
  -S,--socket= --log-error=writes --ignore-table= --where= -w= --replace | guess...
mongosh mongo | -f,--file=reads --eval=code --host=host --port= -u= -p=? | guess... | lang=program
`;
