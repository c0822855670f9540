import { isEligible, perPage, type Rule } from "./Rule.ts"

const protocol = "The Open Graph protocol (ogp.me)"
const find = "Find the head template, or the plugin, that writes the og: properties of these pages."
const among = { among: isEligible, nothing: "no page that may be indexed was read" }

/** How pages look where they are shared. */
export const socialCards: ReadonlyArray<Rule> = [
  perPage(
    {
      id: "open_graph_relative",
      name: "Relative addresses in Open Graph",
      category: "content",
      severity: "info",
      means:
        "og:url or og:image is written as a relative address, which services that show shared links do not resolve.",
      fix: "Write the addresses in full, with https:// and the host.",
      source: `${protocol}, Basic metadata and Data types`,
      needsRendering: true,
      eligibleOnly: true,
      guidance: {
        why: "A shared link is shown without its image, or counted for another address.",
        goal: "Write og:url and og:image of each listed page as absolute addresses",
        find,
        steps: [
          "Put the base address of the site in front, from the configuration that the canonical uses.",
          "Check the property on a page below a folder, where relative addresses differ.",
          "Fetch the image at the new address."
        ],
        never: "remove the property"
      }
    },
    ({ visit }) => {
      const { relative } = visit.facts.openGraph
      const [first] = relative
      if (first === undefined) return null
      return {
        detail: relative.map(({ property, value }) => `${property} "${value}"`).join(", "),
        value: first.value,
        elements: relative.map(({ markup, place }) => ({ markup, place, link: null }))
      }
    },
    among
  ),
  perPage(
    {
      id: "open_graph_missing",
      name: "Open Graph incomplete",
      category: "content",
      severity: "info",
      means:
        "Of the four properties that Open Graph requires, og:title, og:type, og:image and og:url, some are missing, so services choose themselves what a shared link shows.",
      fix: "Write all four properties in the head.",
      source: `${protocol}, Basic metadata`,
      needsRendering: true,
      eligibleOnly: true,
      isCharged: false,
      guidance: {
        why: "Where the page is shared, its title and image are guessed or left out.",
        goal: "Give each listed page og:title, og:type, og:image and og:url",
        find,
        steps: [
          "Write the four properties in the shared head, each from the data of the page.",
          "Take og:url from the canonical, and an image of the site where a page has none of its own.",
          "Write them as meta elements with property, not name."
        ],
        never: "give all pages the og:url of the start page"
      }
    },
    ({ visit }) => {
      const { missing } = visit.facts.openGraph
      return missing.length === 0 ? null : `no ${missing.join(", ")}`
    },
    among
  )
]
