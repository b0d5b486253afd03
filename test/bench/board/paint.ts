import { launchChromium } from '../../support/browser/chromium.ts';

/** How soon a page shows something, in milliseconds from its request on. */
export interface Paint {
  /** The first content. */
  readonly firstMs: number;
  /** The first row of its table. */
  readonly rowsMs: number;
}

/** A browser that opens pages. */
export interface Painter {
  readonly version: string;
  /** Opens a page with an empty cache. */
  readonly open: (url: string) => Promise<Paint>;
  readonly close: () => Promise<void>;
}

/** When the browser painted, and when it drew the first row: read in the page, by its own clock. */
const READ = `new Promise((resolve) => {
  const look = () => {
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const hasRows = document.querySelector('tbody tr') !== null;
    if (paint === undefined || !hasRows) return requestAnimationFrame(look);
    requestAnimationFrame((rowsMs) => resolve({ firstMs: paint.startTime, rowsMs }));
  };
  look();
})`;

/** Starts a browser. */
export async function openPainter(executable: string): Promise<Painter> {
  const browser = await launchChromium(executable);
  return {
    version: browser.version(),
    open: async (url) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await page.goto(url, { waitUntil: 'commit' });
      const paint: unknown = await page.evaluate(READ);
      await context.close();
      return paint as Paint; // built above
    },
    close: () => browser.close(),
  };
}
