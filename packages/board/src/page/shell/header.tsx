import type { VNode } from 'preact';
import { linkTo, route } from './route.ts';
import { isLive, useSession } from './session.ts';
import { switchTheme } from './theme.ts';

const SCREENS = {
  failures: 'Failures',
  retries: 'Retries',
  storm: 'Storm',
  overview: 'Overview',
  workers: 'Workers',
  operations: 'Operations',
  schedules: 'Schedules',
  search: 'Search',
} as const;

/** The screens, whether figures are live, and who looks. */
export function Header({ showHelp }: { showHelp: () => void }): VNode {
  const { visitor } = useSession();
  const [name = 'failures'] = route.value.parts;
  const shown = name === 'runs' ? 'failures' : name;
  return (
    <header class="top">
      <p class="brand">
        <strong>retry</strong> {visitor.name === undefined ? null : <bdi class="quiet">{visitor.name}</bdi>}
      </p>
      <nav aria-label="Screens">
        {Object.entries(SCREENS).map(([screen, title]) => (
          <a key={screen} href={linkTo([screen])} aria-current={screen === shown ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <div class="tools">
        {visitor.by === undefined ? null : <bdi class="quiet">{visitor.by}</bdi>}
        <LiveButton />
        <button type="button" onClick={switchTheme}>
          Light or dark
        </button>
        <button type="button" onClick={showHelp}>
          Keys
        </button>
      </div>
    </header>
  );
}

/** What is shown of the streams, by whether they are open. */
const LIVE: Readonly<Record<string, string>> = { true: 'live', false: 'connection lost' };

function LiveButton(): VNode {
  const session = useSession();
  const { isPaused } = session;
  const state = isPaused.value ? 'paused' : LIVE[String(isLive(session))];
  return (
    <>
      <span role="status" class={state === 'live' ? 'good' : 'quiet'}>
        {state}
      </span>
      <button
        type="button"
        aria-pressed={isPaused.value}
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        Pause
      </button>
    </>
  );
}
