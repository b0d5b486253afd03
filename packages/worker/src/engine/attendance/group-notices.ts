import type {
  Broker,
  ErrorGroup,
  GroupNotice,
  Note,
  Notes,
  NoteWrite,
  ReadFigures,
} from '@retry/core/broker';
import { compareText, MAX_NOTE_WRITES, readNotes } from '@retry/core/broker/kit';
import { DEAD_LETTER_STATES } from '@retry/core/lifecycle';

/** The note of a group has the count of its latest notice. Its lane may have any character, its id has no `/`. */
const PREFIX = 'error-group/';

/** The most groups of one page. */
const PAGE = 1_000;

/**
 * Returns the error groups that are new, or have doubled, by lane and id: each to one caller, of all clients. What is returned counts as
 * noticed: a caller that dies before it has passed a notice on loses it. A group that is empty at such a call is new when it has dead
 * letters again. Without figures there are none.
 *
 * 1. Counts of the latest notices are read before the groups: a group that has such a count, and is not found after that, is empty.
 * 2. Of callers that have found the same, one writes the count: the others do not see their notes unchanged.
 */
export async function claimGroupNotices({ figures, list, notes }: Broker): Promise<readonly GroupNotice[]> {
  if (figures === undefined) return [];
  const noticed = new Map(
    (await readNotes(notes, PREFIX)).map((note) => [note.key.slice(PREFIX.length), note]),
  );
  const { groups, isSnapshot } = await readGroups(figures);
  const { toNotice, missing } = compareGroups(groups, noticed);
  const empty: NoteWrite[] = [];
  for (const { name, note } of missing)
    if (isSnapshot || (await isEmpty(list, name)))
      empty.push({ key: note.key, seen: note.version, value: null });
  await writeUnchanged(notes, empty);
  const made = await writeUnchanged(notes, toNotice);
  return made
    .map(({ notice }) => notice)
    .sort((left, right) => compareText(left.lane, right.lane) || compareText(left.id, right.id));
}

/**
 * Returns whether a group is to be noticed.
 *
 * @param count - how many dead letters it has, ≥ 1
 * @param noticed - the count of its latest notice since it was last empty: a high-water mark, which stays when dead letters leave.
 *   `undefined`: it has had none
 */
function noticeKind(count: number, noticed: number | undefined): GroupNotice['kind'] | undefined {
  if (noticed === undefined) return 'new';
  return count >= 2 * noticed ? 'doubled' : undefined;
}

/** Compares the groups that there are with the counts of their latest notices. */
function compareGroups(groups: readonly ErrorGroup[], noticed: ReadonlyMap<string, Note>) {
  const names = new Set(groups.map(nameOf));
  const missing = [...noticed].flatMap(([name, note]) => (names.has(name) ? [] : [{ name, note }]));
  const toNotice = groups.flatMap((group) => {
    const name = nameOf(group);
    const note = noticed.get(name);
    const kind = noticeKind(group.count, note && Number(note.value));
    if (kind === undefined) return [];
    const write = { key: PREFIX + name, seen: note?.version ?? 0, value: `${group.count}` };
    return [{ ...write, notice: { kind, ...group } }];
  });
  return { toNotice, missing };
}

function nameOf({ lane, id }: Pick<ErrorGroup, 'lane' | 'id'>): string {
  return `${lane}/${id}`;
}

/** Returns all groups. A group whose count changes while several pages are read may be on none of them: that is no snapshot. */
async function readGroups(figures: ReadFigures) {
  const groups = new Map<string, ErrorGroup>();
  let after: string | undefined;
  let pages = 0;
  do {
    const { groups: page } = await figures({
      groups: { limit: PAGE, ...(after !== undefined && { after }) },
    });
    for (const group of page.groups) groups.set(nameOf(group), group);
    after = page.next;
    pages += 1;
  } while (after !== undefined);
  return { groups: [...groups.values()], isSnapshot: pages === 1 };
}

/** Whether a group has no dead letters. */
async function isEmpty(list: Broker['list'], name: string): Promise<boolean> {
  const slash = name.lastIndexOf('/');
  const [lane, errorGroup] = [name.slice(0, slash), name.slice(slash + 1)];
  for (const state of DEAD_LETTER_STATES) {
    const { runs, next } = await list({ state, lane, errorGroup, limit: 1, payloads: 'omit' });
    if (runs.length > 0 || next !== undefined) return false;
  }
  return true;
}

/** Makes the writes whose notes are still what was seen, each by itself. @returns those that were made */
async function writeUnchanged<Write extends NoteWrite>(
  notes: Notes,
  writes: readonly Write[],
): Promise<readonly Write[]> {
  const made: Write[] = [];
  for (let from = 0; from < writes.length; from += MAX_NOTE_WRITES) {
    let left = writes.slice(from, from + MAX_NOTE_WRITES);
    while (left.length > 0) {
      const written = await notes.write(left);
      if (written.outcome === 'written') {
        made.push(...left);
        break;
      }
      left = left.filter((_, index) => !written.changed.includes(index));
    }
  }
  return made;
}
