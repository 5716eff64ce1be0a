#!/bin/sh
# Makes docker/secrets (or the directory given) for docker/compose.yml: keys, passwords, and the
# roles of the database. What is there is kept, so it may run again. The directory is closed to
# other people; the files in it are readable, because compose hands them to containers with their
# mode, and the users in there differ.
set -eu
umask 0222
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"

random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
make() { # name, content
  printf '%s\n' "$2" >"$1.new" && mv "$1.new" "$1" && echo "made $folder/$1"
}

for name in secret_keys postgres_password metrics_token; do
  if [ -e $name ]; then echo "kept $folder/$name"; else make $name "$(random 32)"; fi
done

# These three hold the same passwords.
set -- owner_database_url database_url roles.sql
there=0
for name in "$@"; do if [ -e "$name" ]; then there=$((there + 1)); fi; done
if [ $there = 3 ]; then
  echo "kept $folder/owner_database_url, database_url and roles.sql"
elif [ $there != 0 ]; then
  echo "$folder holds $there of $*, which belong together." >&2
  echo "Put back what is missing, or remove the rest where no database was made with them." >&2
  exit 1
else
  owner=$(random 24)
  app=$(random 24)
  make owner_database_url "postgresql://portal_owner:$owner@postgres:5432/portal"
  make database_url "postgresql://portal_app:$app@postgres:5432/portal"
  make roles.sql "CREATE ROLE portal_owner LOGIN PASSWORD '$owner';
CREATE ROLE portal_app LOGIN PASSWORD '$app' NOBYPASSRLS;
CREATE ROLE portal_lookup NOLOGIN NOBYPASSRLS;
GRANT portal_lookup TO portal_owner;
CREATE DATABASE portal OWNER portal_owner;"
fi
# These two hold the same password; the second its digest alone.
if [ -e redis_url ] && [ -e valkey_acl ]; then
  echo "kept $folder/redis_url and valkey_acl"
elif [ -e redis_url ] || [ -e valkey_acl ]; then
  echo "$folder holds one of redis_url and valkey_acl, which belong together. Remove it." >&2
  exit 1
else
  password=$(random 24)
  digest=$(printf %s "$password" | sha256sum | cut -d ' ' -f 1)
  make redis_url "redis://portal:$password@valkey:6379/0"
  # Whoever has no password may ask whether the server is there.
  make valkey_acl "user default on nopass resetkeys resetchannels -@all +ping
user portal on #$digest resetchannels ~portal:* ~correlate* ~ingest* ~default* ~_kombu.* ~unacked* -@all +@read +@write +@transaction +@connection -@dangerous -@admin -@scripting"
fi
echo "Back $folder up apart from the database: without secret_keys stored credentials are lost."
