/** How the run came to know a URL. A link with nofollow, ugc or sponsored is a way of its own. */
export type Via = "start" | "link" | "nofollow" | "redirect" | "reference" | "sitemap"

/**
 * The turns of a run in their order: followed links, what the markup names, the sitemap, more of one kind of page, the first parameter sets of pages that are
 * known without, files, links that are only ever nofollow, further parameter sets, and calendars.
 */
export const turns = [
  "link",
  "reference",
  "sitemap",
  "share",
  "set",
  "file",
  "nofollow",
  "variant",
  "calendar"
] as const
export type Turn = (typeof turns)[number]

export const laterOf = (a: Turn, b: Turn): Turn => (turns.indexOf(a) > turns.indexOf(b) ? a : b)
export const earlierOf = (a: Turn, b: Turn): Turn => (turns.indexOf(a) < turns.indexOf(b) ? a : b)

/** The turn of what is named in each way; where a redirect leads is asked with the links, so that it is known how it ends. */
export const turnOf: Readonly<Record<Via, Turn>> = {
  start: "link",
  link: "link",
  redirect: "link",
  reference: "reference",
  sitemap: "sitemap",
  nofollow: "nofollow"
}
