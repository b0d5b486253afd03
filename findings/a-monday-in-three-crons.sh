#!/usr/bin/env bash
# A Monday that is three days. In a pattern of cron 1 is Monday, and so it is to cron-parser 5.10.6, croner 11.0.1 and Spring 4.3.30, whose patterns
# look like those of Quartz. To Quartz 2.3.2 and EventBridge (aws-cron-parser 1.1.12) it is Sunday, as they count from there, and to
# `CronTrigger.from_crontab` of APScheduler 3.9.1, for "standard crontab expressions", Tuesday. None is an error, so a schedule that is copied from
# one to another moves by a day; names of days mean one thing in all. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download libquartz2-java=2.3.2-4 libslf4j-java libspring-core-java=4.3.30-2 libspring-context-java=4.3.30-2 libcommons-logging-java python3-apscheduler=3.9.1-2 python3-tz python3-tzlocal python3-pytz-deprecation-shim python3-dateutil python3-six python3-pkg-resources >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cron-parser@5.10.6 croner@11.0.1 aws-cron-parser@1.1.12 cronstrue@3.39.0
cat >Show.java <<'SHOW'
import java.util.Date;
import java.util.TimeZone;
import org.quartz.CronExpression;
import org.springframework.scheduling.support.CronSequenceGenerator;

public class Show {
  public static void main(String[] arguments) throws Exception {
    TimeZone utc = TimeZone.getTimeZone("UTC");
    Date from = new Date(Long.parseLong(arguments[1]));
    CronExpression quartz = new CronExpression(arguments[0]);
    quartz.setTimeZone(utc);
    System.out.println(quartz.getNextValidTimeAfter(from).toInstant());
    System.out.println(new CronSequenceGenerator(arguments[0], utc).next(from).toInstant());
  }
}
SHOW
cat >show.py <<'SHOW'
import sys
from datetime import datetime
import pytz
from apscheduler.triggers.cron import CronTrigger
start = datetime.fromtimestamp(int(sys.argv[2]) / 1000, pytz.utc)
print(CronTrigger.from_crontab(sys.argv[1], timezone=pytz.utc).get_next_fire_time(None, start).isoformat())
SHOW
cat >show.mjs <<'SHOW'
import { execFileSync } from 'node:child_process';
import aws from 'aws-cron-parser';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import cronstrue from 'cronstrue';

const from = new Date('2026-11-28T12:00:00Z'); // a Saturday
const jars = execFileSync('sh', ['-c', 'echo debian/usr/share/java/*.jar | tr " " ":"'], { encoding: 'utf8' }).trim();
const run = (program, args, env) => execFileSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
const python = (text) => run('/usr/bin/python3', ['show.py', text, `${from.getTime()}`], { PYTHONPATH: 'debian/usr/lib/python3/dist-packages' });
const java = (text) => run('java', ['-cp', jars, 'Show.java', text, `${from.getTime()}`]).split('\n');
const [quartz, spring] = java('0 0 9 ? * 1');
const days = {
  'cron-parser, 0 9 * * 1': CronExpressionParser.parse('0 9 * * 1', { currentDate: from, tz: 'UTC' }).next().toDate(),
  'croner, 0 0 9 ? * 1': new Cron('0 0 9 ? * 1', { timezone: 'UTC' }).nextRun(from),
  'Spring, 0 0 9 ? * 1': spring,
  'Quartz, 0 0 9 ? * 1': quartz,
  'aws-cron-parser, 0 9 ? * 1 *': aws.next(aws.parse('0 9 ? * 1 *'), from),
  'APScheduler, 0 9 * * 1': python('0 9 * * 1'),
};
const day = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });
for (const [name, date] of Object.entries(days)) console.log(`${name}: ${day.format(new Date(date))}`);
console.log(`cronstrue, 0 0 9 ? * 1: ${cronstrue.toString('0 0 9 ? * 1')}`);
SHOW
cat >expected <<'SEEN'
cron-parser, 0 9 * * 1: Monday
croner, 0 0 9 ? * 1: Monday
Spring, 0 0 9 ? * 1: Monday
Quartz, 0 0 9 ? * 1: Sunday
aws-cron-parser, 0 9 ? * 1 *: Sunday
APScheduler, 0 9 * * 1: Tuesday
cronstrue, 0 0 9 ? * 1: At 09:00 AM, only on Monday
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
