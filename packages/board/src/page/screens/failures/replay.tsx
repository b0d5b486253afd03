import type { PolicyInput } from '@retry/core';
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { GroupRow, KnownTask } from '../../../api.ts';
import { Said, useAsking } from '../../controls/asking.tsx';
import { Replayed } from '../../controls/replayed.tsx';
import { useSession } from '../../shell/session.ts';

/** What another policy would have decided about the failures of a group. It changes nothing. */
export function Replay({ group, close }: { group: GroupRow; close: () => void }): VNode {
  const { client, visitor } = useSession();
  const [text, setText] = useState(policyOf(visitor.tasks, group));
  const asking = useAsking();
  const replay = (event: Event): void => {
    event.preventDefault();
    asking.ask(
      async () => client.post('replay', { policy: readPolicy(text), lane: group.lane, group: group.id }),
      ({ summary, present, isComplete }) => (
        <>
          <Replayed summary={summary} present={present} />
          {isComplete ? null : 'There are more runs, which were not replayed.'}
        </>
      ),
    );
  };
  return (
    <form class="panel" onSubmit={replay}>
      <label>
        <span>another policy, as JSON</span>
        <textarea
          class="payload"
          rows={10}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="quiet">
        It is replayed on the recorded failures, and changes nothing. What the server would have answered to
        another attempt is not known.
      </p>
      <p class="row">
        <button type="submit" class="main" disabled={asking.isUnderWay}>
          Replay
        </button>
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
      <Said of={asking} />
    </form>
  );
}

/** The policy of the task, where that is known, is where another one begins. */
function policyOf(tasks: readonly KnownTask[], group: GroupRow): string {
  const own = tasks.find(({ lane }) => lane === group.lane)?.policy ?? { maxAttempts: 5 };
  return JSON.stringify(own, undefined, 2);
}

/** @throws {Error} for what is no JSON; the rest is for the server to check */
function readPolicy(text: string): PolicyInput {
  try {
    return JSON.parse(text) as PolicyInput;
  } catch (error) {
    throw new Error(`The policy is no JSON: ${error instanceof Error ? error.message : error}.`);
  }
}
