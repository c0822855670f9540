/** Platform adapter: the guides of the rooms as pages, by the runtime's Markdown. They lie beside the code, in the package too. */
import * as Effect from "effect/Effect"
import * as Style from "./GuideStyle.ts"

/** The guides for users, in the order of their list: the name in the address, and the room. */
const rooms = {
  "site-health": "features/sitehealth",
  crawl: "crawl",
  rankings: "features/rankings",
  audits: "features/audits",
  experiments: "features/experiments",
  webhooks: "features/webhooks",
  api: "app/server",
  client: "app/client",
  accounts: "features/accounts",
  operating: "app/node",
  "command-line": "app/operator",
  package: "app/exports"
} as const

/** The one that is opened when none is named. */
export const [first] = Object.keys(rooms)

/** One guide. */
export interface Guide {
  readonly name: string
  readonly title: string
  /** The page of it. */
  readonly html: string
}

const nameOf: ReadonlyMap<string, string> = new Map(Object.entries(rooms).map(([name, room]) => [room, name]))

/** Links between guides lead to pages; what only the repository has is text. */
const linked = (html: string, own: string) =>
  html.replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (whole, to: string, text: string) => {
    if (/^(?:https?:|#)/.test(to)) return whole
    const { hash, pathname } = new URL(to, `file:///src/${own}/`)
    const name = nameOf.get(/^\/src\/(.+)\/README\.md$/.exec(pathname)?.[1] ?? "")
    return name === undefined ? text : `<a href="${name}${hash}">${text}</a>`
  })

/** Pictures lie in the repository; a page loads nothing, so their words stand for them. */
const withoutPictures = (html: string) => html.replace(/<img [^>]*alt="([^"]*)"[^>]*>/g, "<em>$1</em>")

/** Wide tables scroll by themselves, by keyboard too. */
const scrolling = (html: string) =>
  html
    .replaceAll("<table>", '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">')

const read = (name: string, room: string) =>
  Effect.map(
    Effect.promise(() => Bun.file(new URL(`../../${room}/README.md`, import.meta.url)).text()),
    (text) => ({
      body: scrolling(withoutPictures(linked(Bun.markdown.html(text, { headings: { ids: true } }), room))),
      name,
      title: /^# (.+)$/m.exec(text)?.[1] ?? name
    })
  )

/** All guides as pages; each lists the others and leads to the reference. */
export const all = Effect.map(
  Effect.forEach(Object.entries(rooms), ([name, room]) => read(name, room)),
  (guides): ReadonlyArray<Guide> =>
    guides.map(({ body, name, title }) => ({ html: Style.page(title, body, name, guides), name, title }))
)
