import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../api/loaded.ts';
import { count } from '../charts/figures.ts';
import { SelectField, TextField } from '../controls/fields.tsx';
import { RunTable } from '../controls/run-table.tsx';
import { Empty, Ready } from '../controls/states.tsx';
import { linkTo } from '../shell/route.ts';

const STATES = {
  '': 'any',
  submitted: 'submitted',
  scheduled: 'scheduled',
  started: 'started',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  stalled: 'stalled',
  dropped: 'dropped',
  rateLimited: 'rateLimited',
} as const;

/** Finds runs by text, state and task, and says what it has looked through. */
export function Search({ query }: { query: URLSearchParams }): VNode {
  const asked = Object.fromEntries(query);
  const hasAsked = query.size > 0;
  return (
    <>
      <h1>Search</h1>
      <SearchForm key={String(query)} query={query} />
      {hasAsked ? <Found asked={asked} /> : <Empty>Write a text, or choose a state or a task.</Empty>}
    </>
  );
}

function SearchForm({ query }: { query: URLSearchParams }): VNode {
  const [text, setText] = useState(query.get('text') ?? '');
  const [task, setTask] = useState(query.get('task') ?? '');
  const [state, setState] = useState<keyof typeof STATES>((query.get('state') ?? '') as keyof typeof STATES); // an unknown one shows none
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = linkTo(['search'], { text, task, state });
      }}
    >
      <TextField label="text" value={text} isFocused onChange={setText} />
      <TextField label="task" value={task} onChange={setTask} />
      <SelectField label="state" value={state} choices={STATES} onChange={setState} />
      <button type="submit" class="main">
        Search
      </button>
    </form>
  );
}

function Found({ asked }: { asked: Readonly<Record<string, string>> }): VNode {
  const found = useLoaded(JSON.stringify(asked), (client) => client.get('search', { query: asked }));
  return (
    <Ready of={found}>
      {({ runs, searched, isComplete, next, looked }) => (
        <>
          <p class="lead">
            {`${count(runs.length)} found; looked at ${count(searched)} runs`}
            {looked.in.length === 0
              ? ''
              : `, in ${looked.in.join(', ')}${looked.isMasked ? ' as they are masked' : ''}`}
            {isComplete ? ': these are all.' : '; there may be more.'}
          </p>
          {runs.length === 0 ? (
            <Empty>None matches. Ask for less, or look further.</Empty>
          ) : (
            <RunTable runs={runs} />
          )}
          {next === undefined ? null : (
            <a href={linkTo(['search'], { ...asked, after: next })}>Look further</a>
          )}
        </>
      )}
    </Ready>
  );
}
