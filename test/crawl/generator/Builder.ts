import type { Random } from "./Random.ts"
import type { AnswerPlan, Doc, LinkPlan, Site } from "./Site.ts"
import { soundDoc } from "./Sound.ts"
import { heading, words } from "./Text.ts"

/** Maximum URLs of one site: a crawl requests all of them, within its limit of 50 pages. */
export const maxUrls = 50

const sections = ["", "", "shop/", "blog/2024/", "docs/", "a/b/"] as const

/** Builds a site. A `fixed` defect leaves sound pages at its URLs. */
export class Builder {
  /** Whether the current defect is planted rather than fixed. */
  spoils = true
  private serial = 0
  private random: Random
  private used = 0
  /** Sound pages that carry links and that defects may change, the start page first. */
  readonly hosts: Array<string> = []

  constructor(
    readonly site: Site,
    random: Random
  ) {
    this.random = random
  }

  /**
   * Begins to plant a defect at a position. The defect has names and random draws of its own, and reserves the room
   * that it may need, so that the rest of the site stays the same with the defect and after its repair.
   */
  begin(position: number, cost: number, spoils: boolean, random: Random): void {
    this.used = (this.used === 0 ? this.site.answers.size : this.used) + cost
    this.serial = 1000 + 50 * position
    this.spoils = spoils
    this.random = random
  }

  get home(): string {
    return this.url("/")
  }

  get isSecure(): boolean {
    return this.site.origin.startsWith("https:")
  }

  url(path: string): string {
    return new URL(path, this.site.origin).href
  }

  /** The number of URLs left within the limit. */
  get room(): number {
    return maxUrls - Math.max(this.used, this.site.answers.size)
  }

  /** A URL that is not used yet. */
  fresh(hint = "p"): string {
    const name = `${hint}${++this.serial}`
    const forms = [name, name, `${name}.html`, `${name}/`, `item?id=${name}&sort=up`, `caf%C3%A9-${name}`] as const
    return this.url(`/${this.random.pick(sections)}${this.random.pick(forms)}`)
  }

  sound(url: string): Doc {
    const title = `${heading(this.random, 2)} ${++this.serial}`
    return soundDoc({
      url,
      title,
      description: `${heading(this.random, 6)} ${this.serial}`,
      text: words(this.random, this.random.int(55, 90))
    })
  }

  /** Adds a sound page with a link to the start page, in the sitemap. */
  page(url = this.fresh()): string {
    const doc = this.sound(url)
    this.site.answers.set(url, { kind: "page", doc })
    this.list(url)
    this.linkTo(url, this.home)
    return url
  }

  /** Adds the response of a defect; fixed, it is a sound page. Neither is in the sitemap. */
  add(url: string, answer: AnswerPlan): string {
    const doc = this.sound(url)
    doc.links.push({ written: this.home, to: this.home, kind: "page", text: "home" })
    this.site.answers.set(url, this.spoils ? answer : { kind: "page", doc })
    return url
  }

  /** Changes the document at a URL without making a defect. */
  alter(url: string, change: (doc: Doc) => void): string {
    const answer = this.site.answers.get(url)
    if (answer?.kind === "page") change(answer.doc)
    return url
  }

  /** Adds a defect to the document at a URL. */
  spoil(url: string, change: (doc: Doc) => void): string {
    return this.spoils ? this.alter(url, change) : url
  }

  /** Adds a defect of the whole site. */
  spoilSite(change: (site: Site) => void): void {
    if (this.spoils) change(this.site)
  }

  list(url: string): void {
    const file = this.site.sitemaps.find(({ kind }) => kind === "urls")
    if (file !== undefined && !file.listed.includes(url)) file.listed.push(url)
  }

  /** A page that carries links. */
  host(random: Random): string {
    return random.some(this.hosts) ?? this.home
  }

  /** A page for a defect: one of the site's, or a new linked one. */
  victim(random: Random): string {
    const known = random.some(this.hosts.slice(1))
    if (known !== undefined && random.chance(60)) return known
    return this.linked(this.page(), random)
  }

  /** Links to a URL from one to three pages. */
  linked(url: string, random: Random, most = 3): string {
    const from = new Set(Array.from({ length: random.int(1, most) }, () => this.host(random)))
    for (const each of from) if (each !== url) this.linkTo(each, url)
    return url
  }

  linkTo(from: string, to: string): void {
    const answer = this.site.answers.get(from)
    if (answer?.kind !== "page") return
    answer.doc.links.push({ written: this.written(from, to), to, kind: "page", text: `to ${heading(this.random, 1)}` })
  }

  push(url: string, link: LinkPlan): void {
    this.spoil(url, (doc) => doc.links.push(link))
  }

  /** A spelling of a URL on a page; the start page may be copied anywhere, so its URLs are never relative. */
  private written(from: string, to: string): string {
    const { origin, pathname, search } = new URL(to)
    const rooted = origin === new URL(from).origin ? pathname + search : to
    const relative = `${new URL(from).pathname
      .split("/")
      .slice(2)
      .map(() => "../")
      .join("")}${rooted.slice(1)}`
    const isHome = from === this.home
    const forms = [
      to,
      rooted,
      `${rooted}#part`,
      ` ${rooted}\n`,
      rooted.replace("%C3%A9", "%c3%a9"),
      isHome || rooted === to || relative === "" ? rooted : relative
    ] as const
    return this.random.pick(forms)
  }
}
