import type { Folder } from "./Folder.ts"
import { read, type Said, spelled } from "./Markup.ts"

/** What is true of one address, from the files alone. */
export interface Expected {
  readonly url: string
  readonly status: number
  readonly redirectTo: string | null
  readonly title: string | null
  readonly canonical: string | null
  /** The other pages that link to it. */
  readonly linkers: ReadonlySet<string>
}

/** What is true of a site, from the files alone. */
export interface Truth {
  readonly pages: ReadonlyMap<string, Expected>
  /** Each dead address that pages link to, with all of them, also those that reach it by redirects. */
  readonly dead: ReadonlyMap<string, ReadonlySet<string>>
  /** Pages of the sitemap that no page links to. */
  readonly orphans: ReadonlySet<string>
}

const listed = (folder: Folder): ReadonlyArray<string> => {
  const { body, status } = folder.answer("/sitemap.xml")
  if (status !== 200) return []
  const locations = [...body.toString("utf8").matchAll(/<loc>\s*([^<]+?)\s*<\/loc>/g)]
  return locations.flatMap(([, text = ""]) => {
    const url = URL.parse(text.replaceAll("&amp;", "&"))
    return url === null ? [] : [spelled(url)]
  })
}

/** Walks through everything that the start page leads to and the sitemap names. */
export const expected = (folder: Folder, start: URL): Truth => {
  const pages = new Map<string, Expected>()
  const linkers = new Map<string, Set<string>>()
  const waiting: Array<string> = []
  const known = new Set<string>()
  const meet = (url: string) => {
    if (!URL.canParse(url) || new URL(url).origin !== start.origin || known.has(url)) return
    known.add(url)
    waiting.push(url)
  }
  const sitemap = listed(folder)
  for (const url of [spelled(start), ...sitemap]) meet(url)
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    const { body, location, status, type } = folder.answer(new URL(url).pathname)
    const said: Said | null = status === 200 && /^(?:text\/html|application\/xhtml)/.test(type) ? read(body, url) : null
    const onward = location === null ? (said?.refresh ?? null) : spelled(new URL(location, url))
    const redirectTo = onward === url ? null : onward
    if (redirectTo !== null) meet(redirectTo)
    for (const link of said?.links ?? []) {
      meet(link)
      if (link !== url) linkers.set(link, (linkers.get(link) ?? new Set()).add(url))
    }
    for (const reference of said?.references ?? []) meet(reference)
    pages.set(url, {
      url,
      status,
      redirectTo,
      title: said?.title ?? null,
      canonical: said?.canonicals[0] ?? null,
      linkers: new Set()
    })
  }
  for (const page of pages.values()) pages.set(page.url, { ...page, linkers: linkers.get(page.url) ?? new Set() })
  return { pages, dead: deadOf(pages), orphans: orphansOf(pages, sitemap, start) }
}

const endOf = (pages: ReadonlyMap<string, Expected>, url: string): string => {
  const seen = new Set<string>()
  let end = url
  for (let next = pages.get(end)?.redirectTo ?? null; next !== null && !seen.has(next); ) {
    seen.add(next)
    end = next
    next = pages.get(end)?.redirectTo ?? null
  }
  return end
}

const deadOf = (pages: ReadonlyMap<string, Expected>): Truth["dead"] => {
  const dead = new Map<string, Set<string>>()
  for (const { linkers, url } of pages.values()) {
    const end = endOf(pages, url)
    if ((pages.get(end)?.status ?? 0) < 400 || linkers.size === 0) continue
    const all = dead.get(end) ?? new Set()
    for (const linker of linkers) all.add(linker)
    dead.set(end, all)
  }
  return dead
}

const orphansOf = (
  pages: ReadonlyMap<string, Expected>,
  sitemap: ReadonlyArray<string>,
  start: URL
): ReadonlySet<string> => {
  const credited = new Set<string>()
  for (const { canonical, linkers, url } of pages.values()) {
    if (linkers.size === 0) continue
    credited.add(url)
    credited.add(endOf(pages, url))
    if (canonical !== null) credited.add(canonical)
  }
  // A folder and its index file are one page: a link to either is a link to both.
  for (const url of [...credited])
    credited.add(url.endsWith("/") ? `${url}index.html` : url.replace(/\/index\.html$/, "/"))
  const isPage = (url: string) => {
    const page = pages.get(url)
    return page?.status === 200 && page.redirectTo === null && (page.canonical ?? url) === url
  }
  return new Set(sitemap.filter((url) => isPage(url) && !credited.has(url) && url !== start.href))
}
