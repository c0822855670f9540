import type { Builder } from "./Builder.ts"
import { noindex } from "./IndexabilityPlants.ts"
import { type Plant, plant } from "./Plant.ts"
import type { Random } from "./Random.ts"
import { idle, type ScriptPlan, scripts } from "./Scripted.ts"
import type { Doc, HreflangPlan } from "./Site.ts"
import { heading, words } from "./Text.ts"

/** Parts of a plan that a defect chooses, from the document that the page has without it. */
type Change = Partial<Omit<ScriptPlan, "sent" | "shown">> & {
  readonly sent?: (doc: Doc) => void
  readonly shown?: (doc: Doc) => void
}

/** Gives the page at a URL a script. What search engines index changes with `indexed`; by default it is what is shown. */
const script = (b: Builder, url: string, { sent, shown, ...plan }: Change, indexed = shown): string => {
  const answer = b.site.answers.get(url)
  if (!b.spoils || answer?.kind !== "page") return url
  const whole: ScriptPlan = { ...idle(answer.doc), ...plan }
  sent?.(whole.sent)
  shown?.(whole.shown)
  b.site.scripted.set(url, whole)
  indexed?.(answer.doc)
  return url
}

/** A defect of one page of its own. */
const own = (name: string, change: (random: Random, builder: Builder, url: string) => Change, cost = 1): Plant =>
  plant(name, { cost }, (b, r) => {
    const url = b.linked(b.page(b.fresh("scripted")), r)
    script(b, url, change(r, b, url))
  })

const set = (parts: Partial<Doc>) => (doc: Doc) => void Object.assign(doc, parts)

const canonicalTo = (to: string): Doc["canonicals"] => [{ place: "head", to, written: to }]

const version = (language: string, to: string): HreflangPlan => ({
  isTag: true,
  language,
  place: "head",
  to,
  written: to
})

const alternate = ({ language, written }: HreflangPlan) =>
  `<link rel="alternate" hreflang="${language}" href="${written}">`

const textsOf = (r: Random): string => heading(r, 4)

/** Defects and decoys of scripts: each changes what the server sends into the document that the page has without it, or that document into another one. */
export const scriptPlants: ReadonlyArray<Plant> = [
  own("a script that changes nothing", () => ({ code: "document.body.dataset.ready = 'yes'" })),
  own("a script that adds few words", (r) => {
    const kept = words(r, 60)
    const all = [...kept, ...words(r, 40)]
    return { code: scripts.words(all), sent: set({ words: kept }), shown: set({ words: all }) }
  }),
  own("a script that adds a tenth to a long text", (r) => {
    const kept = words(r, 900)
    const all = [...kept, ...words(r, 60)]
    return { code: scripts.words(all), sent: set({ words: kept }), shown: set({ words: all }) }
  }),
  own("a script that writes the title in other spaces", (r) => {
    const title = heading(r, 3)
    return {
      code: scripts.title(` ${title.replaceAll(" ", "   ")} `),
      sent: set({ titles: [title] }),
      shown: set({ titles: [` ${title.replaceAll(" ", "   ")} `] })
    }
  }),
  own("a script that adds a link to another site", () => ({
    code: scripts.appendLink("https://elsewhere.test/", "there")
  })),
  own("title by a script", (r) => {
    const title = textsOf(r)
    return { code: scripts.title(title), sent: set({ titles: [] }), shown: set({ titles: [title] }) }
  }),
  own("title changed by a script", (r) => {
    const [before, after] = [textsOf(r), textsOf(r)]
    return { code: scripts.title(after), sent: set({ titles: [before] }), shown: set({ titles: [after] }) }
  }),
  own("description by a script", (r) => {
    const description = textsOf(r)
    return {
      code: scripts.appendToHead(`<meta name="description" content="${description}">`),
      sent: set({ descriptions: [] }),
      shown: set({ descriptions: [description] })
    }
  }),
  own("description changed by a script", (r) => {
    const [before, after] = [textsOf(r), textsOf(r)]
    return {
      code: scripts.attribute('meta[name="Description"]', "content", after),
      sent: set({ descriptions: [before] }),
      shown: set({ descriptions: [after] })
    }
  }),
  own("heading by a script", (r) => {
    const text = textsOf(r)
    return { code: scripts.heading(text), sent: set({ h1: [] }), shown: set({ h1: [text] }) }
  }),
  own("heading changed by a script", (r) => {
    const [before, after] = [textsOf(r), textsOf(r)]
    return { code: scripts.heading(after), sent: set({ h1: [before] }), shown: set({ h1: [after] }) }
  }),
  own("text by a script", (r) => {
    const [kept, all] = [words(r, r.int(0, 30)), words(r, r.int(90, 200))]
    return { code: scripts.words(all), sent: set({ words: kept }), shown: set({ words: all }) }
  }),
  own("canonical by a script", (_, __, url) => ({
    code: scripts.appendToHead(`<link rel="canonical" href="${url}">`),
    sent: set({ canonicals: [] })
  })),
  plant("canonical changed by a script", { cost: 2 }, (b, r) => {
    const to = b.linked(b.page(b.fresh("named")), r)
    const url = b.linked(b.page(b.fresh("scripted")), r)
    script(b, url, {
      code: scripts.attribute('link[rel="canonical"]', "href", to),
      shown: set({ canonicals: canonicalTo(to) })
    })
  }),
  own("canonical removed by a script", () => ({
    code: scripts.remove('link[rel="canonical"]'),
    shown: set({ canonicals: [] })
  })),
  plant("a second canonical by a script", { cost: 2 }, (b, r) => {
    const to = b.linked(b.page(b.fresh("named")), r)
    const url = b.linked(b.page(b.fresh("scripted")), r)
    script(b, url, {
      code: scripts.appendToHead(`<link rel="canonical" href="${to}">`),
      shown: (doc) => void doc.canonicals.push(...canonicalTo(to))
    })
  }),
  own("noindex by a script", (r) => {
    const plan = noindex(r)
    return {
      code: scripts.appendToHead(`<meta name="robots" content="${plan.content}">`),
      shown: (doc) => void doc.robots.push(plan)
    }
  }),
  plant("noindex removed by a script", { cost: 1 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("scripted")), r)
    const hide = (doc: Doc) => void doc.robots.push(noindex(r.fork("robots")))
    script(b, url, { code: scripts.remove('meta[name="robots"]'), sent: hide }, hide)
  }),
  plant("noindex that a script leaves", { cost: 1 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("scripted")), r)
    const hide = (doc: Doc) => void doc.robots.push(noindex(r.fork("robots")))
    script(b, url, { code: scripts.title(textsOf(r)), sent: hide, shown: hide }, hide)
  }),
  own("nofollow removed by a script", (r, b) => {
    const to = b.host(r)
    const link = { kind: "page", text: `to ${textsOf(r)}`, to, written: to } as const
    return {
      code: scripts.removeAttribute('a[rel="nofollow"]', "rel"),
      sent: (doc) => void doc.links.push({ ...link, rel: "nofollow" }),
      shown: (doc) => void doc.links.push(link)
    }
  }),
  plant("links by a script", { cost: 2 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("scripted")), r)
    const known = b.host(r)
    const found = b.page(b.fresh("found"))
    const links = [found, ...(known === url || known === b.home ? [] : [known])].map((to) => ({
      kind: "page" as const,
      text: `to ${textsOf(r)}`,
      to,
      written: to
    }))
    if (!b.spoils) b.linkTo(url, found)
    script(b, url, {
      code: links.map(({ text, to }) => scripts.appendLink(to, text)).join(";"),
      shown: (doc) => void doc.links.push(...links)
    })
  }),
  plant("links removed by a script", { cost: 2 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("scripted")), r)
    const to = b.linked(b.page(b.fresh("found")), r)
    const link = { kind: "page", text: `to ${textsOf(r)}`, to, written: to } as const
    const push = (doc: Doc) => void doc.links.push(link)
    script(b, url, { code: scripts.remove(`a[href="${to}"]`), sent: push }, push)
  }),
  own("routes in fragments", (r, b) => {
    const written = `${b.home}${r.pick(["#/", "#!/"])}${heading(r, 1)}`
    const link = { kind: "page", text: textsOf(r), to: b.home, written } as const
    const push = (doc: Doc) => void doc.links.push(link)
    return { code: "void 0", sent: push, shown: push }
  }),
  plant("language versions by a script", { cost: 2 }, (b, r) => {
    const urls = ["en", "de"].map(() => b.linked(b.page(b.fresh("scripted")), r))
    const versions = urls.map((to, at) => version(["en", "de"][at] ?? "fr", to))
    for (const url of urls)
      script(b, url, {
        code: scripts.appendToHead(versions.map(alternate).join("")),
        shown: (doc) => void doc.hreflangs.push(...versions)
      })
  }),
  plant("language versions changed by a script", { cost: 2 }, (b, r) => {
    const urls = ["en", "de"].map(() => b.linked(b.page(b.fresh("scripted")), r))
    const versions = urls.map((to, at) => version(["en", "de"][at] ?? "fr", to))
    for (const url of urls)
      script(b, url, {
        code: scripts.appendToHead(alternate(version("x-default", urls[0] ?? url))),
        sent: (doc) => void doc.hreflangs.push(...versions),
        shown: (doc) => void doc.hreflangs.push(...versions, version("x-default", urls[0] ?? url))
      })
  }),
  own("structured data by a script", () => ({
    code: scripts.appendToHead(
      '<script type="application/ld+json">{"@context":"https://schema.org","@type":"WebPage","name":"a"}</script>'
    ),
    shown: (doc) => void doc.jsonLd.push("sound")
  })),
  plant("a redirect by a script", { cost: 1 }, (b, r) => {
    const url = b.linked(b.page(b.fresh("scripted")), r)
    const to = b.host(r)
    script(b, url, { code: scripts.leave(to), redirect: to }, set({ refresh: { place: "script", seconds: 0, to } }))
  }),
  own("an error page by a script", () => {
    const text = "page not found we could not find what you are looking for".split(" ")
    const lost = set({ h1: ["Page not found"], isErrorPage: true, titles: ["Page not found"], words: text })
    return {
      code: [scripts.title("Page not found"), scripts.heading("Page not found"), scripts.words(text)].join(";"),
      shown: lost
    }
  }),
  own("data that robots.txt blocks", (r, b) => {
    const url = b.url(`/private/${heading(r, 1)}.json`)
    return { code: scripts.fetch(url), fetched: [url] }
  }),
  own("data that is missing", (r, b) => {
    const url = b.url(`/api/${heading(r, 1)}.json`)
    return { code: scripts.fetch(url), fetched: [url] }
  }),
  own("data that comes", (_, b) => ({ code: scripts.fetch(b.home), fetched: [b.home] })),
  own("an error of a script", (r) => {
    const message = textsOf(r)
    return { code: scripts.throwError(message), errors: [`Error: ${message}`] }
  })
]

/** A script that never ends, so that its page cannot be rendered, and what rests on all pages stays open. */
export const hangingPlants: ReadonlyArray<Plant> = [
  own("a script that never ends", () => ({ code: scripts.hang, hangs: true }))
]
