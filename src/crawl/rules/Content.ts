import { type AnalysedSite, perSite } from "../analysis/AnalysedSite.ts"
import { nearHashes, nearShingles, withoutTemplate } from "../analysis/Near.ts"
import { shingles, shortText } from "../page/Texts.ts"
import { isLanguageCopy, namesVersion, primary, versionsOf } from "./Languages.ts"
import { type Fault, isEligible, perPage, type ReadPage, type Rule } from "./Rule.ts"
import { isSequence } from "./Sequences.ts"
import { head, indexed, isBlank } from "./Snippets.ts"
import { eligible, folded, isTwin, sawEverything, some, twins } from "./Targets.ts"

const thin = 50
const body = "Find the template of these routes and where their content is edited."

/** Checks of headings, text and images. */
export const content: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "h1_missing",
      name: "Missing h1",
      category: "content",
      severity: "warning",
      means: "The page has no h1 with text.",
      fix: "Start the main content with one h1.",
      source: "HTML standard §4.3.11, Headings and outlines; WCAG 2.2 technique H42",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Readers, screen readers and search engines take the h1 as the name of the content.",
        goal: "Start the main content of each listed page with one h1 that has text",
        find: `${body} Look for a title that is styled text, or an image without alt text.`,
        steps: [
          "Make the element that names the content an h1, and style it by a class.",
          "If it is an image, give the image alt text inside the h1.",
          "Make the headings below it h2 and so on."
        ],
        never: "add a hidden h1"
      }
    },
    (page) => (page.visit.facts.firstHeadings.every(isBlank) ? "no h1 with text" : null),
    indexed
  ),
  perPage(
    {
      id: "h1_multiple",
      name: "Multiple h1",
      category: "content",
      severity: "info",
      means: "The page has several h1 headings with text. This is allowed.",
      fix: "If one heading is the title of the page, make the others h2.",
      source: "HTML standard §4.3.11, Headings and outlines",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "People who navigate by headings find no single title of the content.",
        goal: "Keep one h1 if one heading is the title of the page",
        find: `${body} Often the site name in the header is an h1 on every page.`,
        steps: [
          "Decide which heading is the title of the page.",
          "Make the others h2 and style them by a class.",
          "Leave pages alone that contain several equal articles."
        ],
        never: "hide headings from screen readers"
      }
    },
    ({ visit: { facts } }) => {
      // People who navigate by headings do not find an empty one.
      const texts = facts.firstHeadings.filter((text) => !isBlank(text))
      return texts.length > 1 ? { detail: `${texts.length} h1 elements`, value: texts.join(" | ") } : null
    },
    indexed
  ),
  perPage(
    {
      id: "thin_content",
      name: "Thin content",
      category: "content",
      severity: "info",
      means: `The main text has fewer than ${thin} words, code included.`,
      fix: "Add useful text, or render the content on the server if scripts add it.",
      source: "Google Search Central, Creating helpful, reliable, people-first content",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Search engines have little reason to rank a page with almost no text.",
        goal: "Give each listed page useful text in its HTML, or merge it into another page",
        find: `${body} Check whether only scripts add the text.`,
        steps: [
          "Compare the served HTML with what a browser shows: text that scripts add belongs in the HTML.",
          "If there is little to say, merge the page into a more complete one and redirect.",
          "Leave pages alone that are meant to be short, such as a contact form."
        ],
        never: "fill pages with text that does not help readers"
      }
    },
    ({ visit }) => (visit.facts.text.mainWords < thin ? `${visit.facts.text.mainWords} words` : null),
    indexed
  ),
  perPage(
    {
      id: "image_alt_missing",
      name: "Images without alt attribute",
      category: "content",
      severity: "warning",
      means: "Images on the page have no alt attribute.",
      fix: "Describe each image in alt. Leave alt empty for decorative images.",
      source: "WCAG 2.2 success criterion 1.1.1; HTML standard §4.8.4.4",
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "Screen readers and image search cannot tell what these images show.",
        goal: "Give each image of the listed pages an alt attribute",
        find: "Find the templates and components that write img elements, and where their images are edited.",
        steps: [
          "Describe in a few words what the image shows or does. For an image in a link, say where the link leads.",
          'Write alt="" for decorative images.',
          "Make alt a required property of the image component or field."
        ],
        never: "use file names, or one text for all images"
      }
    },
    ({ visit: { facts } }) =>
      facts.imagesWithoutAlt > 0
        ? { detail: `${facts.imagesWithoutAlt} of ${facts.imageCount} images`, elements: facts.muteImages }
        : null,
    indexed
  )
]

/** Shorter texts resemble each other by their template, not by their content. */
const enoughWords = 25

/** Whether the pages resemble each other legitimately, or another check reports it: language versions, with or without hreflang, and URLs of one page. */
const isToldElsewhere = (page: ReadPage, url: string, site: AnalysedSite): boolean =>
  namesVersion(page, url, site) || isLanguageCopy(page, url, site) || isTwin(page, url, site)

/** Names copies in other languages: they may share a title and lack hreflang. When a page of the same language shares it too, each page needs its own title. */
const inOtherLanguages = (page: ReadPage, others: ReadonlyArray<string>, site: AnalysedSite): string => {
  const own = primary(page.visit.facts.lang)
  const named = new Set(versionsOf(page, site).map(({ language }) => primary(language)))
  const all = others.map((url) => primary(site.find(url)?.visit?.facts?.lang ?? null))
  const languages = all.filter((lang) => lang !== "" && !named.has(lang))
  return own === "" || languages.length === 0 || all.includes(own)
    ? ""
    : `: in ${some([...new Set([own, ...languages])])}, language copies without hreflang`
}

/** The other eligible pages with the same key, except legitimate ones. */
const shared = (
  keyOf: (page: ReadPage) => string | null,
  isRight: (page: ReadPage, other: string, site: AnalysedSite) => boolean,
  valueOf: (page: ReadPage) => Partial<Fault> = () => ({})
) => {
  const twinsIn = perSite((site) => twins(eligible(site), keyOf))
  return (page: ReadPage, site: AnalysedSite): Fault | null => {
    const others = twinsIn(site)(page).filter((url) => !isToldElsewhere(page, url, site) && !isRight(page, url, site))
    return others.length === 0
      ? null
      : { detail: `also on ${some(others)}${inOtherLanguages(page, others, site)}`, ...valueOf(page) }
  }
}

/** Pages of a numbered sequence may share their title and description (Google Search Central, Pagination best practices). */
const isOfSequence = (page: ReadPage, other: string, site: AnalysedSite): boolean => isSequence(page.url, other, site)

const textKey = ({ visit }: ReadPage): string | null =>
  visit.facts.text.mainWords > 0 ? visit.facts.text.mainHash : null

/** Short texts may resemble each other by their template. */
const isTemplate = ({ visit }: ReadPage): boolean => visit.facts.text.mainWords < enoughWords

const options = { among: isEligible, precondition: sawEverything, nothing: "no page is indexable" }
const guide = "Google Search Central, What is canonicalization"

/** Checks of pages that share a title, a description or their text. */
export const duplicates: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "title_duplicate",
      name: "Duplicate title",
      category: "content",
      severity: "warning",
      means: "Several indexable pages have the same title.",
      fix: "Give each page a unique title.",
      source: "Google Search Central, Influencing your title links",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Their search results look the same, and search engines may treat the pages as duplicates.",
        goal: "Give each listed page a unique title",
        find: `${head} Pages of one template usually share a constant or an empty variable.`,
        steps: [
          "Check for each group whether the pages are the same content at several URLs, or different pages.",
          "Different: put what distinguishes them first (name, place or page number).",
          "Same content in one language: canonicalize to one of them, or redirect to it. Translations: translate the titles, and connect the pages by hreflang."
        ],
        never: "append numbers or ids to make titles differ"
      }
    },
    shared(
      ({ visit }) => folded(visit.facts.title),
      isOfSequence,
      ({ visit }) => ({ value: visit.facts.title ?? "", place: "head" })
    ),
    options
  ),
  perPage(
    {
      id: "description_duplicate",
      name: "Duplicate meta description",
      category: "content",
      severity: "info",
      means: "Several indexable pages have the same meta description.",
      fix: "Write a unique description for each page, or none.",
      source: "Google Search Central, Control your snippets in search results",
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "The same text below several search results does not help people choose.",
        goal: "Give each listed page a unique description, or none",
        find: `${head} A site-wide default is the usual cause.`,
        steps: [
          "Fill the description from the page's own summary, in the page's own language.",
          "If there is none, omit the tag: search engines then use a part of the page text."
        ],
        never: "vary one text by swapping words"
      }
    },
    shared(
      ({ visit }) => folded(visit.facts.descriptions[0]),
      isOfSequence,
      ({ visit }) => ({ value: visit.facts.descriptions[0] ?? "", place: "head" })
    ),
    options
  ),
  perPage(
    {
      id: "content_duplicate",
      name: "Duplicate content",
      category: "content",
      severity: "warning",
      means: "Several indexable pages have the same main text.",
      fix: "In one language, canonicalize or redirect the copies to one page. Connect translations by hreflang.",
      source: guide,
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Search engines keep one of the pages, and not always the one you want.",
        goal: "Keep each text at one URL, or canonicalize the copies to it",
        find: "Find what creates several URLs for one page: parameters, slashes, upper case, print versions, categories, or routes that share a record.",
        steps: [
          "Choose the preferred URL: the one with the most links and in the sitemap.",
          "Redirect the others to it with 301, or set their canonical to it if they must stay.",
          "Link only to that URL.",
          "Keep copies in other languages where they are, each with a canonical to itself, and connect them by hreflang."
        ],
        never: "set noindex on all of them, or change words to make the texts differ"
      }
    },
    shared(textKey, isTemplate),
    options
  )
]

/** A page for comparison: its text without the template's words. */
interface Compared {
  readonly page: ReadPage
  readonly words: number
  /** Without the template's words, so the simhash, which covers the whole text, does not apply. */
  readonly isStripped: boolean
  /** Null for a long text. */
  readonly shingles: Int32Array | null
}

/** A page with fewer words of its own is compared as a whole. */
const fewestOwn = 5

const comparedBy = (page: ReadPage, own: Int32Array | null): Compared => {
  const { mainWordHashes, mainWords } = page.visit.facts.text
  const isStripped = own !== null && own.length >= fewestOwn && own.length < mainWords
  const words = isStripped ? own : mainWordHashes
  return {
    page,
    words: isStripped ? own.length : mainWords,
    isStripped,
    shingles: words === null ? null : shingles(words)
  }
}

/** The eligible pages with enough text to compare, their index by URL, and their near pages. */
const comparable = perSite((site) => {
  const pages = eligible(site).filter(({ visit }) => visit.facts.text.mainWords >= enoughWords)
  const own = withoutTemplate(pages.map(({ visit }) => visit.facts.text.mainWordHashes))
  const all = pages.map((page, index) => comparedBy(page, own[index] ?? null))
  return {
    all,
    places: new Map(pages.map(({ url }, index) => [url, index])),
    nearTo: nearHashes(pages.map(({ visit }) => visit.facts.text.simhash)),
    alikeTo: nearShingles(all.map(({ shingles }) => shingles))
  }
})

/** Whether an index shows the page in full, and so contains its text by nature. */
const isIndexOf = (index: ReadPage, page: ReadPage, { start }: AnalysedSite): boolean => {
  const directory = new URL(index.url).pathname.replace(/[^/]*$/, "")
  const isAbove =
    index.url === start.href || (new URL(page.url).pathname.startsWith(directory) && index.url.endsWith("/"))
  return isAbove && index.visit.facts.links.some(({ target }) => target.followable && target.url === page.url)
}

/** Maximum near pages to check: reports name only a few, and thousands may be near each other. */
const maxNear = 256

/** Whether the simhash says which pages are near: it does not for a short text, where each word changes it much. */
const hasSimhash = ({ isStripped, words }: Compared): boolean => !isStripped && words >= shortText

/** Nearly equal texts have nearly equal lengths, which a simhash ignores. */
const isOfLength = (one: Compared, other: Compared): boolean =>
  Math.min(one.words, other.words) >= 0.8 * Math.max(one.words, other.words)

/** Pages near a page: they share nine of ten three-word sequences, or their simhashes are near. */
const candidatesOf = (page: ReadPage, site: AnalysedSite) => {
  const { all, alikeTo, nearTo, places } = comparable(site)
  const place = places.get(page.url)
  const own = place === undefined ? undefined : all[place]
  if (place === undefined || own === undefined) return []
  const alike = alikeTo(place)
  const near = hasSimhash(own) ? nearTo(place).slice(0, maxNear) : []
  const found = (index: number, text: string, holds: (other: Compared) => boolean = () => true) => {
    const other = all[index]
    return other !== undefined && holds(other) ? [{ other: other.page, text }] : []
  }
  return [
    ...alike.flatMap(({ index, likeness }) => found(index, `${Math.floor(100 * likeness)}% similar`)),
    ...near.flatMap(({ distance, index }) =>
      found(
        index,
        `simhash distance ${distance} of 64`,
        (other) => hasSimhash(other) && isOfLength(own, other) && !alike.some((each) => each.index === index)
      )
    )
  ]
}

const near = (page: ReadPage, site: AnalysedSite): string | null => {
  const found = candidatesOf(page, site).flatMap(({ other, text }) => {
    if (other.visit.facts.text.mainHash === page.visit.facts.text.mainHash) return []
    if (isIndexOf(page, other, site) || isIndexOf(other, page, site)) return []
    if (isToldElsewhere(page, other.url, site)) return []
    return [{ url: other.url, text: `${other.url} (${text})` }]
  })
  if (found.length === 0) return null
  const languages = inOtherLanguages(
    page,
    found.map(({ url }) => url),
    site
  )
  return `similar to ${some(
    found.map(({ text }) => text),
    3
  )}${languages}`
}

/** Checks of pages that share almost all of their text. */
export const nearDuplicates: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "content_near_duplicate",
      name: "Near-duplicate content",
      category: "content",
      severity: "info",
      means:
        "Several indexable pages have almost the same main text, template text aside. The details show how similar they are.",
      fix: "Merge them, add content of their own, or canonicalize to one of them. Connect translations by hreflang.",
      source: `${guide}; Charikar 2002, similarity estimation`,
      needsRendering: true,
      restsOn: "others",
      eligibleOnly: true,
      guidance: {
        why: "Pages with almost the same content compete with each other in search results.",
        goal: "Merge the listed pages, make them distinct, or canonicalize to one of them",
        find: "Find the template of these pages and compare their main text: usually only a name, place or color differs.",
        steps: [
          "Decide whether each page answers a question of its own.",
          "If so, write what only this page can say, and shorten what all repeat.",
          "If not, merge them into one page and redirect, or canonicalize the variants to one page.",
          "Keep copies in other languages where they are, each with a canonical to itself: translate them, and connect them by hreflang."
        ],
        never: "swap words to make the texts look different"
      }
    },
    near,
    options
  )
]
