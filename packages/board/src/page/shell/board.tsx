import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Failures } from '../screens/failures/failures.tsx';
import { Group } from '../screens/failures/group.tsx';
import { Operations } from '../screens/figures/operations.tsx';
import { Overview } from '../screens/figures/overview.tsx';
import { Retries } from '../screens/figures/retries.tsx';
import { Storm } from '../screens/figures/storm.tsx';
import { Workers } from '../screens/figures/workers.tsx';
import { Run } from '../screens/run/run.tsx';
import { Schedules } from '../screens/schedules.tsx';
import { Search } from '../screens/search.tsx';
import { Header } from './header.tsx';
import { Heading } from './heading.tsx';
import { now } from './instants.tsx';
import { ignoreSecondClicks, KEYS, listenToKeys } from './keys.ts';
import { linkTo, route } from './route.ts';
import { type Session, SessionProvider } from './session.ts';
import { useTracked } from './tracked.ts';

/** The board: its header, and the screen of the address. */
export function Board({ session }: { session: Session }): VNode {
  const help = useRef<HTMLDialogElement>(null);
  useTracked(() => [route.value, now.value, session.isPaused.value, session.streams.value]);
  const showHelp = (): void => help.current?.showModal();
  useLayoutEffect(
    () =>
      listenToKeys({
        help: () => help.current?.showModal(),
        pause: () => {
          session.isPaused.value = !session.isPaused.value;
        },
      }),
    [session],
  );
  useLayoutEffect(ignoreSecondClicks, []);
  return (
    <SessionProvider value={session}>
      <Header showHelp={showHelp} />
      <main>
        <Screen />
      </main>
      <dialog ref={help} aria-labelledby="help-title">
        <Help />
      </dialog>
    </SessionProvider>
  );
}

function Screen(): VNode {
  const { parts, query } = route.value;
  const [name = 'failures', first, second] = parts;
  if (name === 'failures' && first !== undefined && second !== undefined) {
    return <Group lane={first} id={second} after={query.get('after') ?? ''} />;
  }
  if (name === 'runs' && first !== undefined) return <Run id={first} />;
  if (name === 'failures') return <Failures after={query.get('after') ?? ''} />;
  if (name === 'schedules') return <Schedules after={query.get('after') ?? ''} />;
  if (name === 'search') return <Search query={query} />;
  const Named = Object.hasOwn(SCREENS, name) ? SCREENS[name] : undefined;
  return Named === undefined ? <NoScreen /> : <Named />;
}

const SCREENS: Readonly<Record<string, () => VNode>> = {
  retries: Retries,
  storm: Storm,
  overview: Overview,
  workers: Workers,
  operations: Operations,
};

function NoScreen(): VNode {
  return (
    <>
      <Heading>No such screen</Heading>
      <p>
        The board has none at this address. <a href={linkTo(['failures'])}>Failures</a> are where to begin.
      </p>
    </>
  );
}

function Help(): VNode {
  return (
    <>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {Object.entries(KEYS).map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </>
  );
}
