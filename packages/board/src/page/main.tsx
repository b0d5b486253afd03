/** The page of the board. Its document says where it is mounted: `<html data-base-path>`. */
import { render } from 'preact';
import './main.css';
import { Board } from './shell/board.tsx';
import { noteTimeOf } from './shell/instants.tsx';
import { openSession } from './shell/session.ts';
import { restoreTheme } from './shell/theme.ts';

const root = document.getElementById('board');
restoreTheme();
if (root !== null) show(root).catch((error: Error) => fail(root, error));

async function show(element: HTMLElement): Promise<void> {
  element.replaceChildren();
  const { basePath = '' } = document.documentElement.dataset;
  const session = await openSession(basePath);
  noteTimeOf(session.visitor);
  render(<Board session={session} />, element);
}

function fail(element: HTMLElement, { message }: Error): void {
  render(
    <main>
      <h1>The board cannot be shown</h1>
      <p class="error" role="alert">
        {message}
      </p>
      <p>Reload the page to try again.</p>
    </main>,
    element,
  );
}
