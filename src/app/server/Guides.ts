/** Platform adapter: the guides of the rooms as pages, by the runtime's Markdown. They lie in `src`, in the package too. */
import * as Effect from "effect/Effect"
import * as Style from "./GuideStyle.ts"

/** The guides for users in their order: the name in the URL, and the room. */
const rooms = {
  "site-health": "features/sitehealth",
  console: "app/console",
  crawl: "crawl",
  rankings: "features/rankings",
  audits: "features/audits",
  experiments: "features/experiments",
  webhooks: "features/webhooks",
  api: "app/server",
  client: "app/client",
  sdk: "app/sdk",
  accounts: "features/accounts",
  operating: "app/node",
  "command-line": "app/operator",
  package: "app/exports"
} as const

/** The guide at `/docs/guides`. */
export const [first] = Object.keys(rooms)

export interface Guide {
  readonly name: string
  readonly title: string
  readonly html: string
}

const nameOf: ReadonlyMap<string, string> = new Map(Object.entries(rooms).map(([name, room]) => [room, name]))

/** Links between guides become links between pages; links to files of the repository become text. */
const linked = (html: string, own: string) =>
  html.replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (whole, to: string, text: string) => {
    if (/^(?:https?:|#)/.test(to)) return whole
    const { hash, pathname } = new URL(to, `file:///src/${own}/`)
    const name = nameOf.get(/^\/src\/(.+)\/README\.md$/.exec(pathname)?.[1] ?? "")
    return name === undefined ? text : `<a href="${name}${hash}">${text}</a>`
  })

/** A page loads nothing, so the alternative text of a picture stands for it. */
const withoutPictures = (html: string) => html.replace(/<img [^>]*alt="([^"]*)"[^>]*>/g, "<em>$1</em>")

/** Lets wide tables scroll by themselves, by keyboard too. */
const scrolling = (html: string) =>
  html
    .replaceAll("<table>", '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">')

const read = (name: string, room: string) =>
  Effect.map(
    Effect.promise(() => Bun.file(new URL(`../../../src/${room}/README.md`, import.meta.url)).text()),
    (text) => ({
      body: scrolling(withoutPictures(linked(Bun.markdown.html(text, { headings: { ids: true } }), room))),
      name,
      title: /^# (.+)$/m.exec(text)?.[1] ?? name
    })
  )

/** All guides as pages; each links the others and the reference. */
export const all = Effect.map(
  Effect.forEach(Object.entries(rooms), ([name, room]) => read(name, room)),
  (guides): ReadonlyArray<Guide> =>
    guides.map(({ body, name, title }) => ({ html: Style.page(title, body, name, guides), name, title }))
)
