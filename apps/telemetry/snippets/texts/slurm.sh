# Paste this into a shell of root on the machine of slurmctld. It writes the token, readable by
# Slurm's user alone, a hook, the program that sends, and a spool for what waits; run it again to renew.
(
set -eu
FOLDER=/etc/slurm SPOOL=/var/spool/faultline
for needed in python3 flock setsid scontrol; do command -v $needed >/dev/null || { echo "$needed is missing here" >&2; exit 1; }; done
owner=$(scontrol show config | sed -n 's/^SlurmUser *= *\([^(]*\).*/\1/p')
mkdir -p "$FOLDER"
install -d -m 700 -o "${owner:=slurm}" "$SPOOL" "$SPOOL/new" "$SPOOL/jobs" "$SPOOL/out"
( umask 077; printf '%s\n' @{quoted_token} >"$FOLDER/faultline.token" )
chown "$owner" "$FOLDER/faultline.token"; chmod 600 "$FOLDER/faultline.token"
cat >"$FOLDER/faultline-hook" <<'END_OF_HOOK'
@{hook}END_OF_HOOK
cat >"$FOLDER/faultline-sender" <<'END_OF_SENDER'
@{sender}END_OF_SENDER
# Where Slurm's programs and its configuration are, if not in the usual places.
sed -i "s|^export PATH=|&$(dirname "$(command -v scontrol)"):|" "$FOLDER/faultline-hook"
[ -z "${SLURM_CONF:-}" ] || sed -i "s|^# export SLURM_CONF=.*|export SLURM_CONF='$SLURM_CONF'|" "$FOLDER/faultline-hook"
chmod 755 "$FOLDER/faultline-hook" "$FOLDER/faultline-sender"
cat <<END_OF_WORDS
Now name it in slurm.conf:
  PrologSlurmctld=$FOLDER/faultline-hook
  JobCompType=jobcomp/script
  JobCompLoc=$FOLDER/faultline-hook
and restart slurmctld (jobs go on; a reconfigure does not load JobCompType). Where JobCompType is taken by
another plug-in, leave it and name EpilogSlurmctld=$FOLDER/faultline-hook instead: how a job ended is then
asked of sacct, or of scontrol without accounting, which does not say why a job was requeued.
What Slurm's prolog or epilog is today can go on: a script of two lines that runs both.
END_OF_WORDS
)
