import type { PageSettings } from './list-options.ts';
import type { Listing, ListPage } from './listing.ts';
import { createListing } from './listing.ts';
import type { RunView } from './run-view.ts';
import { viewRun } from './run-view.ts';
import type { Scan, Source } from './scan.ts';
import { scan } from './scan.ts';
import type { Times } from './times.ts';
import { instantWriter } from './times.ts';

/** A listing of views, whatever their payload and result. */
export type Listed<At extends Times> = Listing<RunView<never, never, At>>;

/** What to list: a source, which of its runs, and how they are written. */
interface ListedPage<At extends Times> extends PageSettings<At>, Pick<Scan, 'matches'> {
  readonly source: Source;
  readonly payloads: 'include' | 'omit';
}

/** Lists the views of runs. @param settings - rejects when the options are wrong */
export function listRuns<At extends Times>(settings: () => Promise<ListedPage<At>>): Listed<At> {
  const asked = settings();
  const readAfter = async (after?: string): Promise<ListPage<RunView<never, never, At>>> => {
    const page = await asked;
    return readPage(after === undefined ? page : { ...page, after });
  };
  return createListing(readAfter(), readAfter);
}

async function readPage<At extends Times>({
  source,
  times,
  payloads,
  ...page
}: ListedPage<At>): Promise<ListPage<RunView<never, never, At>>> {
  const style = { writeInstant: instantWriter(times), payloads };
  const { runs, next } = await scan(source, page);
  const views = runs.map((run) => viewRun(run, style));
  return next === undefined ? { runs: views } : { runs: views, next };
}
