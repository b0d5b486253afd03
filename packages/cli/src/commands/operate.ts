import { InvalidArgumentError } from 'commander';
import { durationOption, instantArgument, integerArgument } from './arguments.ts';
import { type Frame, perform } from './declare.ts';
import { addGroup, addPaging, addQueueCommand } from './declare-queue.ts';

/** Adds the commands about lanes, workers, operations, and the queue as a whole. */
export function declareOperate(frame: Frame): void {
  declareLanes(addGroup(frame, 'lanes', 'list lanes, put them on hold, resume them'));
  const workers = addGroup(frame, 'workers', 'list live workers');
  const list = addQueueCommand(workers, {
    name: 'ls',
    summary: 'list live workers: where they run, and what they do',
    examples: ['retry workers ls --url redis://localhost:6379'],
  });
  perform(workers, list, async () => (await import('../workers/list.ts')).listAction);
  declareOperations(addGroup(frame, 'operations', 'list, pause, resume and cancel redrives and discards'));
  declareSchedules(addGroup(frame, 'schedules', 'list and remove schedules'));
  declareTop(frame);
  declareBoard(frame);
  declareAudit(frame);
  declareDoctor(frame);
  declareMigrate(frame);
}

function declareLanes(frame: Frame): void {
  const list = addQueueCommand(frame, {
    name: 'ls',
    summary: 'list lanes: what waits and runs, how old, how fast, who works on it',
    examples: ['retry lanes ls', 'retry lanes ls send-email@1 --json'],
  }).argument('[lanes...]', 'only these: send-email@1');
  perform(frame, list, async () => (await import('../lanes/list.ts')).listAction);
  const hold = addQueueCommand(frame, {
    name: 'hold',
    summary: 'put lanes on hold: no worker claims a run of them',
    examples: ["retry lanes hold send-email@1 --for 30m --reason 'the provider is down'"],
  })
    .argument('[lanes...]', 'the lanes: send-email@1')
    .option('--all', 'all lanes, by one hold')
    .addOption(durationOption('--for', 'how long (default: until resumed)'))
    .option('--until <time>', 'until when', instantArgument)
    .option('--reason <text>', 'why, for people')
    .option('--by <name>', 'who, for people (default: USER)');
  perform(frame, hold, async () => (await import('../lanes/hold.ts')).holdAction);
  const resume = addQueueCommand(frame, {
    name: 'resume',
    summary: 'end every hold of lanes, those of circuit breakers included',
    examples: ['retry lanes resume send-email@1'],
  })
    .argument('[lanes...]', 'the lanes: send-email@1')
    .option('--all', 'the hold of all lanes; not those of single lanes');
  perform(frame, resume, async () => (await import('../lanes/hold.ts')).resumeAction);
}

function declareOperations(frame: Frame): void {
  const list = addQueueCommand(frame, {
    name: 'ls',
    summary: 'list operations: those that run, and the latest 100 that ended',
    examples: ['retry operations ls'],
  });
  perform(frame, list, async () => (await import('../operations/list.ts')).listAction);
  const verbs = [
    ['pause', 'let operations take no further run'],
    ['resume', 'let paused operations go on; workers carry them on'],
    ['cancel', 'end operations as they are; what was redriven stays so'],
  ] as const;
  for (const [name, summary] of verbs) {
    const examples = [`retry operations ${name} 8f3c6f0e-6f0c-4d6e-9f0a-2b8f2f1f6b11`];
    const command = addQueueCommand(frame, { name, summary, examples }).argument('<ids...>', 'their ids');
    perform(frame, command, async () => (await import('../operations/change.ts')).changeActions[name]);
  }
}

function declareSchedules(frame: Frame): void {
  const list = addQueueCommand(frame, {
    name: 'ls',
    summary: 'list schedules: when they fire next, and when they fired last',
    examples: ['retry schedules ls'],
  });
  addPaging(list);
  perform(frame, list, async () => (await import('../schedules/list.ts')).listAction);
  const remove = addQueueCommand(frame, {
    name: 'rm',
    summary: 'remove schedules; runs that they have submitted stay',
    examples: ['retry schedules rm nightly-report'],
  }).argument('<ids...>', 'their ids');
  perform(frame, remove, async () => (await import('../schedules/remove.ts')).removeAction);
}

function declareTop(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'top',
    summary: 'show lanes, dead letters and workers, drawn again and again until q is pressed',
    examples: ['retry top', 'retry top --every 5s', 'retry top --json'],
  }).addOption(durationOption('--every', 'time between two polls', 2_000));
  perform(frame, command, async () => (await import('../top/top.ts')).topAction);
}

function declareBoard(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'board',
    summary: 'serve the board for all who have the printed address, until Ctrl-C; needs @retry/board',
    examples: ['retry board --open', 'retry board --read-only --port 4000'],
  })
    .option('--read-only', 'let visitors change nothing, and see no secrets')
    .option('--open', 'open it in the browser')
    .option('--no-token', 'let every user of this machine visit, and everyone a proxy lets in')
    .option(
      '--allow-host <names>',
      'without a token: also for these names, which a proxy passes on',
      hostsArgument,
    )
    .option('--port <number>', 'on 127.0.0.1 (default: a free one)', integerArgument(1, 65_535))
    .option('--by <name>', 'who acts, for people (default: USER)');
  perform(frame, command, async () => (await import('../board/board.ts')).boardAction);
}

function hostsArgument(text: string): readonly string[] {
  return text.split(',').map((name) => {
    const host = name.trim().toLowerCase();
    if (/^[a-z\d_.-]+$/.test(host)) return host;
    throw new InvalidArgumentError(
      'Write names of hosts without a port, with commas between: board.example.com.',
    );
  });
}

function declareAudit(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'audit',
    summary: 'count the runs in each state; exit status 1 if one is lost or counted twice',
    examples: ['retry audit --json'],
  });
  perform(frame, command, async () => (await import('../audit/audit.ts')).auditAction);
}

function declareDoctor(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'doctor',
    summary: 'look for what is wrong with a queue and its server; exit status 1 if something is',
    examples: ['retry doctor', 'retry doctor --watch 30s --json'],
  })
    .addOption(durationOption('--watch', 'how long lanes are watched', 2_000))
    .addOption(durationOption('--oldest-age', 'for how long the next run may have been claimable', 60_000))
    .addOption(durationOption('--long-transaction', 'for how long one of Postgres may be open', 60_000));
  perform(frame, command, async () => (await import('../doctor/doctor.ts')).doctorAction);
}

function declareMigrate(frame: Frame): void {
  const command = addQueueCommand(frame, {
    name: 'migrate',
    summary: 'bring the schema of Postgres or PGlite to the version of the package',
    examples: ['retry migrate --url postgres://localhost/app', 'retry migrate --sql > retry.sql'],
  }).option('--sql', 'print the statement, and ask no server');
  perform(frame, command, async () => (await import('../migrate/migrate.ts')).migrateAction);
}
