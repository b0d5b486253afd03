import type { Broker } from '../../broker.ts';
import type { Hold, HoldRequest, ResumeAnswer, ResumeRequest } from '../../hold.ts';
import type { Note, NoteWrite } from '../../notes.ts';
import { MAX_NOTE_WRITES } from '../../notes.ts';
import { readCall } from '../check/check-findings.ts';
import { compareHolds, HOLD_PREFIX, HOLD_SOURCES, holdKey, readHold, writeHold } from '../holds.ts';
import { endOf, readNotes } from '../notes.ts';
import { checkHolds, checkResumes } from './check-acts.ts';

/** What holds are made of. */
type NotesBroker = Pick<Broker, 'notes'>;

/** How many requests end the holds of one write. */
const RESUMED_TOGETHER = Math.floor(MAX_NOTE_WRITES / HOLD_SOURCES.length);

/**
 * Puts lanes on hold: from the answer on no claim starts a run of theirs. Started runs keep running, waiting ones keep
 * their places, and nothing is charged. A hold replaces the one of the same lane and source, unless that ends later and
 * `keepLonger` is set. Holds end by the broker's clock.
 *
 * @throws {InvalidOptionsError} for a hold that no lane can have
 */
export async function holdLanes(broker: NotesBroker, requests: readonly HoldRequest[]): Promise<void> {
  readCall(checkHolds, requests);
  const writes = new Map<string, NoteWrite>();
  const flush = async (): Promise<void> => {
    if (writes.size > 0) await broker.notes.write([...writes.values()]);
    writes.clear();
  };
  for (const request of requests) {
    if (request.keepLonger === true || writes.size === MAX_NOTE_WRITES) await flush();
    if (request.keepLonger === true) await holdLonger(broker, writeHold(request));
    else writes.set(holdKey(request), writeHold(request));
  }
  await flush();
}

/** Makes the write, unless the present hold ends later. */
async function holdLonger({ notes }: NotesBroker, write: NoteWrite): Promise<void> {
  for (;;) {
    const { notes: found, now } = await notes.read({ prefix: write.key, limit: 1 });
    const present = found.find(({ key }) => key === write.key);
    if (present !== undefined && outlasts(present, Math.max(endOf(write, now) ?? Infinity, now))) return;
    const { outcome } = await notes.write([{ ...write, seen: present?.version ?? 0 }]);
    if (outcome === 'written') return;
  }
}

/** Whether the hold ends later than this, or does not end by itself. One that only probes has ended. */
function outlasts({ expiresAt = Infinity }: Note, end: number): boolean {
  return expiresAt === Infinity || expiresAt > end;
}

/**
 * Ends holds now, and wakes the workers that wait for work of these lanes. Of two callers, one has ended a hold.
 *
 * @throws {InvalidOptionsError} for a lane or a source that no hold can have
 */
export async function resumeLanes(
  broker: NotesBroker,
  requests: readonly ResumeRequest[],
): Promise<readonly ResumeAnswer[]> {
  readCall(checkResumes, requests);
  const answers: ResumeAnswer[] = [];
  for (let from = 0; from < requests.length; from += RESUMED_TOGETHER)
    answers.push(...(await resumeSome(broker, requests.slice(from, from + RESUMED_TOGETHER))));
  return answers;
}

async function resumeSome({ notes }: NotesBroker, requests: readonly ResumeRequest[]) {
  for (;;) {
    const kept = new Map((await readNotes(notes, HOLD_PREFIX)).map((note) => [note.key, note]));
    const gone: Note[] = [];
    const answers = requests.map(({ lane, source }): ResumeAnswer => {
      const sources = source === undefined ? HOLD_SOURCES : [source];
      const found = sources.flatMap(
        (one) => kept.get(holdKey({ ...(lane !== undefined && { lane }), source: one })) ?? [],
      );
      for (const note of found) kept.delete(note.key);
      gone.push(...found);
      return found.length > 0 ? 'resumed' : 'none';
    });
    if (gone.length === 0) return answers;
    const { outcome } = await notes.write(
      gone.map(({ key, version }) => ({ key, seen: version, value: null })),
    );
    if (outcome === 'written') return answers;
  }
}

/** Returns the holds that have not ended, by lane and source; those of all lanes first. */
export async function listHolds({ notes }: NotesBroker): Promise<readonly Hold[]> {
  const found = await readNotes(notes, HOLD_PREFIX);
  return found.flatMap((note) => readHold(note) ?? []).sort(compareHolds);
}
