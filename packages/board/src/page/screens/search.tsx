import type { RunState } from '@retry/core/lifecycle';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../api/loaded.ts';
import { count } from '../charts/figures.ts';
import { SelectField, TextField } from '../controls/fields.tsx';
import { RunTable } from '../controls/run-table.tsx';
import { Empty, Ready } from '../controls/states.tsx';
import { Heading } from '../shell/heading.tsx';
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
} as const satisfies Record<'' | Exclude<RunState, 'unsubmitted'>, string>;

/** Finds runs by text, state and task, and says what it has looked through. */
export function Search({ query }: { query: URLSearchParams }): VNode {
  const hasAsked = query.size > 0;
  return (
    <>
      <Heading>Search</Heading>
      <SearchForm key={String(query)} query={query} />
      {hasAsked ? <Found query={query} /> : <Empty>Write a text, or choose a state or a task.</Empty>}
    </>
  );
}

function SearchForm({ query }: { query: URLSearchParams }): VNode {
  const states = query.getAll('state').join(' ');
  const [text, setText] = useState(query.get('text') ?? '');
  const [task, setTask] = useState(query.get('task') ?? '');
  const [state, setState] = useState(states);
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = linkTo(['search'], queryOf({ text, task, state }));
      }}
    >
      <TextField label="text" value={text} isFocused keyName="/" onChange={setText} />
      <TextField label="task" value={task} onChange={setTask} />
      <SelectField label="state" value={state} choices={choicesWith(states)} onChange={setState} />
      <button type="submit" class="main">
        Search
      </button>
    </form>
  );
}

/** A link may have several states, which are one more choice. */
function choicesWith(states: string): Readonly<Record<string, string>> {
  return { ...(states.includes(' ') && { [states]: states.replaceAll(' ', ', ') }), ...STATES };
}

interface Sought {
  readonly text: string;
  readonly task: string;
  /** Several have a space between them. */
  readonly state: string;
}

function queryOf({ text, task, state }: Sought): URLSearchParams {
  const query = new URLSearchParams({ text, task });
  for (const each of state.split(' ')) query.append('state', each);
  return query;
}

function furtherIn(query: URLSearchParams, after: string): string {
  const further = new URLSearchParams(query);
  further.set('after', after);
  return linkTo(['search'], further);
}

function Found({ query }: { query: URLSearchParams }): VNode {
  const found = useLoaded(String(query), (client) => client.get('search', { query }));
  return (
    <Ready of={found}>
      {({ runs, searched, isComplete, next, looked }) => (
        <>
          <p class="lead">
            {`${runs.length === 0 ? 'None' : count(runs.length)} found`}
            {isComplete && runs.length > 0 ? ', these are all' : ''}
            {`; looked at ${isComplete ? 'all ' : ''}${count(searched)} runs`}
            {looked.in.length === 0
              ? ''
              : `, in ${looked.in.join(', ')}${looked.isMasked ? ' as they are masked' : ''}`}
            {isComplete ? '.' : '; there may be more.'}
          </p>
          {runs.length > 0 ? <RunTable runs={runs} /> : null}
          {runs.length === 0 && isComplete ? (
            <Empty>No run matches. Write less of the text, or choose another state or task.</Empty>
          ) : null}
          {next === undefined ? null : <a href={furtherIn(query, next)}>Look further</a>}
        </>
      )}
    </Ready>
  );
}
