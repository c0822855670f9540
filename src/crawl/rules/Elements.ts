import type { CanonicalLink, HreflangLink } from "../page/LinkFacts.ts"
import type { RobotsMeta } from "../page/Metas.ts"
import type { PagePart, ResourceFacts } from "../page/Resources.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import type { Fault, FaultyElement } from "./Fault.ts"
import { some } from "./Targets.ts"

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

/** A start tag with these attributes. */
const tag = (name: string, attributes: Readonly<Record<string, string>>): string =>
  `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`)
    .join("")}>`

/** The markup of links whose own was not kept. Pages share their links, so each is written once. */
const written = new WeakMap<KeptLink, FaultyElement>()

/** A link as the page writes it; where that was not kept, with the address and text alone. */
export const linkElement = (link: KeptLink): FaultyElement => {
  const known = written.get(link)
  if (known !== undefined) return known
  const { kind, markup, place, raw, text } = link
  const isFrame = kind === "iframe" || kind === "frame"
  const plain = isFrame
    ? tag(kind, { src: raw })
    : kind === "area"
      ? tag(kind, { href: raw, alt: text })
      : `${tag(kind, { href: raw })}${escaped(text)}</${kind}>`
  const element = { markup: markup ?? plain, place, link: isFrame ? null : raw }
  written.set(link, element)
  return element
}

/** A canonical in the document; none where it comes from a header. */
export const canonicalElements = (links: ReadonlyArray<CanonicalLink>): ReadonlyArray<FaultyElement> =>
  links.flatMap(({ inHead, raw, source }) =>
    source === "html"
      ? [{ markup: tag("link", { rel: "canonical", href: raw }), place: inHead ? "head" : "main", link: null }]
      : []
  )

/** Language alternates in the document; none where they come from a header. */
export const hreflangElements = (links: ReadonlyArray<HreflangLink>): ReadonlyArray<FaultyElement> =>
  links.flatMap(({ inHead, raw, source, written: hreflang }) =>
    source === "html"
      ? [
          {
            markup: tag("link", { rel: "alternate", hreflang, href: raw }),
            place: inHead ? "head" : "main",
            link: null
          }
        ]
      : []
  )

/** Robots directives in the document. */
export const robotsElements = (metas: ReadonlyArray<RobotsMeta>): ReadonlyArray<FaultyElement> =>
  metas.map(({ agent, content, inHead }) => ({
    markup: tag("meta", { name: agent, content }),
    place: inHead ? "head" : "main",
    link: null
  }))

/** Parts that a page loads. */
export const resourceElements = (resources: ReadonlyArray<ResourceFacts>): ReadonlyArray<FaultyElement> =>
  resources.map(({ from, place, raw }) => {
    const [name = "", attribute = "src"] = from.replace("]", "").split("[")
    return { markup: tag(name, { [attribute]: raw }), place, link: null }
  })

/** A part on the site's own host. */
export const partElement = ({ kind, link, place, raw }: PagePart): FaultyElement => {
  const markups = {
    image: () => tag("img", { src: raw }),
    script: () => `${tag("script", { src: raw })}</script>`,
    style: () => tag("link", { rel: "stylesheet", href: raw })
  }
  return { markup: markups[kind](), place, link }
}

/** A few of the different things, with how many there are when one stands several times or there are several. */
export const counted = (things: ReadonlyArray<string>, what: string, most = 3): string => {
  const different = [...new Set(things)]
  const named = some(different, most)
  return things.length === 1 ? named : `${things.length} ${what}: ${named}`
}

/** The fault of links, in a few words for each; null when there are none. */
export const linkFault = (links: ReadonlyArray<KeptLink>, wordsFor: (link: KeptLink) => string): Fault | null => {
  const [first] = links
  return first === undefined
    ? null
    : {
        detail: counted(links.map(wordsFor), "links"),
        value: first.raw,
        elements: links.map(linkElement)
      }
}
