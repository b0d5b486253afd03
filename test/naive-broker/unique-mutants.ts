import type { Mutant } from './mutants.ts';

/** Mistakes with unique submissions, one each. */
export const UNIQUE_MUTANTS: readonly Mutant[] = [
  {
    name: 'submits although another run keeps the key',
    caughtBy: 'unique: keep submits nothing while a run of the key waits, and names that run',
    from: "if (answer !== 'created' && answer.type === 'kept') return answer;",
    to: '',
  },
  {
    name: 'looks at the key before the id',
    caughtBy: 'unique: a known id is answered exists before its key is looked at',
    from: `if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';
    const answer = unique === undefined ? 'created' : takeKey(id, unique, now);
    if (answer !== 'created' && answer.type === 'kept') return answer;`,
    to: `const answer = unique === undefined ? 'created' : takeKey(id, unique, now);
    if (answer !== 'created' && answer.type === 'kept') return answer;
    if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';`,
  },
  {
    name: 'frees a key when its run starts',
    caughtBy: 'unique: a key is taken while its run is started',
    from: "return until === 'ended' || run.epoch === 0;",
    to: "return run.state !== 'started' && (until === 'ended' || run.epoch === 0);",
  },
  {
    name: 'frees a key when its run fails for the first time',
    caughtBy: 'unique: a key is taken while its run waits after a retry for later',
    from: "return until === 'ended' || run.epoch === 0;",
    to: "return run.failures === 0 && (until === 'ended' || run.epoch === 0);",
  },
  {
    name: 'keeps a key until the end that was to be free at the start',
    caughtBy: 'unique: until started, a key is taken while its run waits for the first time',
    from: "return until === 'ended' || run.epoch === 0;",
    to: 'return true;',
  },
  {
    name: 'takes a key once more when its run waits for a retry',
    caughtBy: 'unique: until started, a key stays free when its run waits again: a retry for later',
    from: "return until === 'ended' || run.epoch === 0;",
    to: "return until === 'ended' || run.state !== 'started';",
  },
  {
    name: 'keeps a key for ever',
    caughtBy: 'unique: a key is free once its run is completed',
    from: 'run === undefined || run.redrives > 0 || isEnd(run.state)',
    to: 'run === undefined || run.redrives > 0',
  },
  {
    name: 'keeps a key whose run is gone',
    caughtBy: 'unique: a key is free once its run is discarded',
    from: 'if (run === undefined || run.redrives > 0 || isEnd(run.state)) return false;',
    to: `if (run === undefined) return true;
  if (run.redrives > 0 || isEnd(run.state)) return false;`,
  },
  {
    name: 'gives a key back by a redrive',
    caughtBy: 'unique: a redrive does not give a key back',
    from: 'run === undefined || run.redrives > 0 || isEnd',
    to: 'run === undefined || isEnd',
  },
  {
    name: 'frees a key that was taken for a time when its run ends',
    caughtBy: 'unique: for a time, a key is taken until that has passed, although its run is completed',
    from: "if (typeof until === 'number') return until > now;",
    to: "if (typeof until === 'number') return until > now && run !== undefined && !isEnd(run.state);",
  },
  {
    name: 'begins the time anew with a submission that is kept',
    caughtBy: 'unique: for a time, submissions that were kept do not begin it anew',
    from: "if (isTaken && unique.onConflict === 'keep') return",
    to: `if (isTaken && unique.onConflict === 'keep') holders.set(unique.key, { ...keyHolder(id, unique, now), id: holder.id });
    if (isTaken && unique.onConflict === 'keep') return`,
  },
  {
    name: 'does not begin the time anew with a replacement',
    caughtBy: 'unique: for a time, each replace begins it anew',
    from: 'holders.set(unique.key, keyHolder(id, unique, now));',
    to: 'holders.set(unique.key, { ...keyHolder(id, unique, now), ...(isTaken && { until: holder.until }) });',
  },
  {
    name: 'lets the later submission decide until when a key is taken',
    caughtBy: 'unique: what the run that has the key was submitted with decides, not the later submission',
    from: 'const holder = holders.get(unique.key);',
    to: `const known = holders.get(unique.key);
    const holder = known && { ...known, until: keyHolder(id, unique, now).until };`,
  },
  {
    name: 'leaves the run that is replaced',
    caughtBy: 'unique: replace cancels a run that waits in its lane, and submits the new one',
    from: `    move(other, { type: 'cancel', at: now });
`,
    to: '',
  },
  {
    name: 'keeps the key with the run that is replaced',
    caughtBy: 'unique: each replace of a run that is to wait moves the start, so that only the last one runs',
    from: '    holders.set(unique.key',
    to: '    if (!isTaken) holders.set(unique.key',
  },
  {
    name: 'asks a started run to cancel when it is replaced',
    caughtBy: 'unique: replace takes the key from a started run, which goes on',
    from: '    if (!isTaken || other',
    to: `    if (isTaken && other?.run.state === 'started') other.run = { ...other.run, isCancelRequested: true };
    if (!isTaken || other`,
  },
  {
    name: 'keeps the started run although it is to be replaced',
    caughtBy: 'unique: replace takes the key from a started run, which goes on',
    from: "if (isTaken && unique.onConflict === 'keep') return",
    to: "if (isTaken && (unique.onConflict === 'keep' || other?.run.state === 'started')) return",
  },
  {
    name: 'cancels a run whose key was free',
    caughtBy: 'unique: replace leaves a run whose key was free: its time is over',
    from: 'if (!isTaken || other === undefined ||',
    to: 'if (holder === undefined || other === undefined ||',
  },
];
