import * as Either from "effect/Either"
import { html } from "parse5"
import type { PagePlace } from "../report/Finding.ts"
import { isObject, JsonLdNodes, type JsonObject, jsonError, type TypedNode } from "./JsonLd.ts"
import { markupOf } from "./Markup.ts"
import type { Outline, Placed } from "./Outline.ts"
import { keep, squeeze, strip } from "./Text.ts"
import { childText } from "./Walk.ts"

/**
 * One required property, or alternatives: `offers|review`, where `item/name` is the name of the item. The part before the last point is a path: nodes in a
 * property (`location.address`), or nodes of one type (`offers:Offer.price`). Text in place of a node is accepted.
 */
type Need = string

/** Requirements of Google Search Central for one type. */
interface Requirements {
  /** The documentation page below https://developers.google.com/search/docs/appearance/structured-data/. */
  readonly page: string
  readonly needs: ReadonlyArray<Need>
}

const events =
  "BusinessEvent ChildrensEvent ComedyEvent DanceEvent EducationEvent ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent"

const businesses =
  "AnimalShelter AutoDealer AutoRepair AutomotiveBusiness Bakery BarOrPub BeautySalon BedAndBreakfast BookStore CafeOrCoffeeShop ChildCare ClothingStore ComputerStore Dentist DepartmentStore DryCleaningOrLaundry ElectronicsStore Electrician EmploymentAgency EntertainmentBusiness FastFoodRestaurant FinancialService Florist FoodEstablishment FurnitureStore GeneralContractor GroceryStore HairSalon HardwareStore HealthAndBeautyBusiness HealthClub HobbyShop HomeAndConstructionBusiness HomeGoodsStore Hotel HousePainter InsuranceAgency InternetCafe JewelryStore LegalService Library LiquorStore Locksmith LodgingBusiness MedicalBusiness MedicalClinic MovieTheater MovingCompany NightClub Notary Optician PetStore Pharmacy Physician Plumber ProfessionalService RadioStation RealEstateAgent RecyclingCenter Resort Restaurant RoofingContractor SelfStorage ShoeStore ShoppingCenter SportsActivityLocation SportsClub Store TouristInformationCenter ToyStore TravelAgency Winery"

const articles = "AdvertiserContentArticle BlogPosting NewsArticle Report ScholarlyArticle TechArticle"
const organisations = "Corporation EducationalOrganization NGO NewsMediaOrganization OnlineBusiness OnlineStore"

/** The general type with the requirements of a more specific type. */
const judgedAs: ReadonlyMap<string, string> = new Map(
  Object.entries({ Article: articles, Event: events, LocalBusiness: businesses, Organization: organisations }).flatMap(
    ([general, names]) => names.split(" ").map((name) => [name, general] as const)
  )
)

/** The required properties by type. Article and Organization have only recommended ones. */
const requirements: ReadonlyMap<string, Requirements> = new Map(
  Object.entries({
    Article: { page: "article", needs: [] },
    Organization: { page: "organization", needs: [] },
    // The last entry of the list needs no URL.
    BreadcrumbList: {
      page: "breadcrumb",
      needs: ["itemListElement", "itemListElement.position", "itemListElement.name|item/name", "itemListElement.item"]
    },
    Event: { page: "event", needs: ["name", "startDate", "location", "location:Place.address"] },
    FAQPage: {
      page: "faqpage",
      needs: ["mainEntity", "mainEntity.name", "mainEntity.acceptedAnswer", "mainEntity.acceptedAnswer.text"]
    },
    JobPosting: {
      page: "job-posting",
      needs: [
        "title",
        "description",
        "datePosted",
        "hiringOrganization",
        // A remote job has no location.
        "jobLocation|applicantLocationRequirements",
        "jobLocation.address",
        "jobLocation.address.addressCountry"
      ]
    },
    LocalBusiness: { page: "local-business", needs: ["name", "address"] },
    // Google documents product pages and merchant listings; product pages have fewer requirements, which apply to both.
    Product: {
      page: "product-snippet",
      needs: [
        "name",
        "offers|review|aggregateRating",
        "offers:Offer.price|priceSpecification/price",
        "offers:AggregateOffer.lowPrice",
        "offers:AggregateOffer.priceCurrency",
        "aggregateRating.ratingValue",
        "aggregateRating.ratingCount|reviewCount"
      ]
    },
    Recipe: { page: "recipe", needs: ["name", "image"] },
    // A review inside a thing reviews that thing; a review of only pros and cons has no rating.
    Review: {
      page: "review-snippet",
      needs: ["author", "itemReviewed", "itemReviewed.name", "reviewRating", "reviewRating.ratingValue"]
    },
    VideoObject: { page: "video", needs: ["name", "thumbnailUrl|thumbnail", "uploadDate"] }
  })
)

/** A fault in a page's structured data. */
export interface DataFault {
  readonly detail: string
  /** The invalid URL as written; null for a missing property. */
  readonly value: string | null
}

/** Maximum faults to keep per page. */
const maxFaults = 10
/** Maximum values to look up per page: about a hundred times the need of the largest product pages. */
const maxLookUps = 125_000

/** Properties with the page's subject or content: other things, such as the maker of a product, may be incomplete. */
const ownParts = new Set(["mainEntity", "breadcrumb", "video", "review", "reviews", "event", "hasPart", "item"])

const tableName = (type: string): string => judgedAs.get(type) ?? type

/** Whether a need does not apply to this node. */
const isExempt = ({ holder, object }: TypedNode, type: string, need: string): boolean => {
  if (type !== "Review") return false
  if (need.startsWith("itemReviewed")) return holder !== null
  return need.startsWith("reviewRating") && ("positiveNotes" in object || "negativeNotes" in object)
}

/** Whether a path of properties leads to a value, or to a node off the page, which may have one. */
const leadsToValue = (nodes: JsonLdNodes, object: JsonObject, path: ReadonlyArray<string>): boolean => {
  const [property = "", ...rest] = path
  const values = nodes.values(object, property)
  if (rest.length === 0) return values.length > 0
  const held = nodes.held(object, property)
  return held.length === 0 ? values.some(isObject) : held.some((inner) => leadsToValue(nodes, inner, rest))
}

/** The nodes that need the property. */
const placesOf = (nodes: JsonLdNodes, object: JsonObject, hops: ReadonlyArray<string>): ReadonlyArray<JsonObject> =>
  hops.reduce<ReadonlyArray<JsonObject>>(
    (found, hop) => {
      const [property = "", type] = hop.split(":")
      return found.flatMap((one) => nodes.held(one, property, type))
    },
    [object]
  )

/** The missing property in words; null when it is there. */
const unmet = (nodes: JsonLdNodes, { object }: TypedNode, need: string): string | null => {
  const hops = need.split(".")
  const choices = hops.pop()?.split("|") ?? []
  const places = placesOf(nodes, object, hops)
  const lacking = places.filter((place) => !choices.some((choice) => leadsToValue(nodes, place, choice.split("/"))))
  // The last entry of a breadcrumb is the page itself.
  const allowed = need === "itemListElement.item" && lacking.length === 1 && lacking[0] === places.at(-1) ? 1 : 0
  if (lacking.length <= allowed) return null
  const where = hops.map((hop) => hop.split(":", 1)[0]).join(".")
  const names = choices.map((choice) => [where, choice.replace("/", ".")].filter((part) => part !== "").join("."))
  return names.join(" or ")
}

const isRelative = (value: string): boolean => value.trim() !== "" && !URL.canParse(value.trim())
/** Whether the id names a node of this document (`#name`) or an anonymous node (`_:name`). */
const isLocal = (id: string): boolean => id.startsWith("#") || id.startsWith("_:")

/** URLs of a node that are not absolute. */
const relativeIn = (
  nodes: JsonLdNodes,
  { object }: TypedNode,
  type: string
): ReadonlyArray<readonly [string, string]> => {
  const texts = (from: JsonObject, property: string) =>
    nodes.values(from, property).flatMap((value) => (typeof value === "string" ? [[property, value] as const] : []))
  const idOf = (from: JsonObject) => texts(from, "@id").filter(([, id]) => !isLocal(id))
  const entries = type === "BreadcrumbList" ? nodes.held(object, "itemListElement") : []
  const items = entries.flatMap((entry) => [...texts(entry, "item"), ...nodes.held(entry, "item").flatMap(idOf)])
  return [...idOf(object), ...texts(object, "url"), ...items].filter(([, value]) => isRelative(value))
}

const faultsOf = (nodes: JsonLdNodes, node: TypedNode, written: string): ReadonlyArray<DataFault> => {
  const type = tableName(written)
  const known = requirements.get(type)
  if (known === undefined) return []
  const isOwn = node.holder === null || ownParts.has(node.holder)
  const missing = (isOwn ? known.needs : [])
    .filter((need) => !isExempt(node, type, need))
    .flatMap((need) => unmet(nodes, node, need) ?? [])
  return [
    ...(missing.length === 0 ? [] : [{ detail: keep(`${written} without ${missing.join(", ")}`, 300), value: null }]),
    ...relativeIn(nodes, node, type).map(([property, value]) => ({
      detail: `${written} with a relative ${property}: "${keep(value, 200)}"`,
      value: keep(value, 300)
    }))
  ]
}

/** The distinct faults of a page's nodes: missing required properties, and URLs that are not absolute. */
const dataFaults = (nodes: JsonLdNodes): ReadonlyArray<DataFault> => {
  const found = new Map<string, DataFault>()
  for (const node of nodes.typed) {
    if (found.size >= maxFaults || nodes.looked >= maxLookUps) break
    for (const fault of node.types.flatMap((type) => faultsOf(nodes, node, type))) found.set(fault.detail, fault)
  }
  return [...found.values()].slice(0, maxFaults)
}

const maxBlocks = 100
const maxTypes = 100
/** Deepest level of empty lists. */
const maxLists = 8

/** One `script[type="application/ld+json"]`. */
export interface StructuredDataBlock {
  readonly ok: boolean
  /** The error and its place (0-based offset into the block's text, 1-based line), null when ok. */
  readonly error: {
    readonly message: string
    readonly offset: number
    readonly line: number
    /** The text around the error, blanks collapsed. */
    readonly excerpt: string
  } | null
  /** The block describes nothing: no value, or only `@context` and an empty `@graph`. */
  readonly isEmpty: boolean
  /** Distinct `@type` names, in order of appearance. */
  readonly types: ReadonlyArray<string>
  /** Whether a `@context` was found. */
  readonly hasContext: boolean
  readonly inHead: boolean
  readonly place: PagePlace
  /** The markup of broken, empty, typeless or contextless blocks; null for others. */
  readonly markup: string | null
}

const parsed = (text: string) => Either.try((): unknown => JSON.parse(text))

const asList = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

/** The `@type` names of a parsed document in order; values wait on a list, because they may be nested without end. */
const survey = (document: unknown): Pick<StructuredDataBlock, "types" | "hasContext"> => {
  const types = new Set<string>()
  let hasContext = false
  const waiting = [document]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== "object" || value === null) continue
    const members: ReadonlyArray<readonly [string, unknown]> = Array.isArray(value)
      ? value.map((item) => ["", item] as const)
      : Object.entries(value)
    for (const [key, member] of members) {
      if (key === "@context") hasContext = true
      if (key !== "@type") continue
      for (const type of asList(member))
        if (typeof type === "string" && types.size < maxTypes) types.add(keep(type, 100))
    }
    for (const [, member] of members.toReversed()) waiting.push(member)
  }
  return { types: [...types], hasContext }
}

/** Characters to show before and after an error. */
const around = 40

/** Whether a document has no content, with empty lists searched to `maxLists` levels. */
const isNothing = (value: unknown, depth = 0): boolean => {
  if (value === null) return true
  if (typeof value !== "object" || depth > maxLists) return false
  if (Array.isArray(value)) return value.every((item) => isNothing(item, depth + 1))
  return Object.entries(value).every(
    ([key, member]) => key === "@context" || (key === "@graph" && isNothing(member, depth + 1))
  )
}

/** The only vocabulary with known requirements. */
const vocabulary = "schema.org"

const block = ({ element, inHead, place }: Placed, nodes: JsonLdNodes): StructuredDataBlock => {
  const text = childText(element)
  const document = parsed(text)
  const empty = { ok: true, error: null, types: [], hasContext: false, isEmpty: true, inHead, place }
  if (strip(text) === "") return { ...empty, markup: markupOf(element) }
  if (Either.isRight(document)) {
    if (isNothing(document.right)) return { ...empty, markup: markupOf(element) }
    if (text.includes(vocabulary)) nodes.add(document.right)
    const { hasContext, types } = survey(document.right)
    const markup = hasContext && types.length > 0 ? null : markupOf(element)
    return { ok: true, error: null, types, hasContext, isEmpty: false, inHead, place, markup }
  }
  const { expected, offset } = jsonError(text) ?? { expected: "less nesting", offset: 0 }
  const found = offset < text.length ? JSON.stringify(keep(text.slice(offset, offset + 20), 20)) : "the end"
  const line = text.slice(0, offset).split("\n").length
  const excerpt = keep(squeeze(text.slice(Math.max(0, offset - around), offset + around)).trim(), 2 * around)
  const error = { message: `expected ${expected}, found ${found}`, offset, line, excerpt }
  return { ...empty, ok: false, error, isEmpty: false, markup: markupOf(element) }
}

const isJsonLd = ({ element, name, namespace }: Placed): boolean =>
  name === "script" &&
  namespace === html.NS.HTML &&
  strip(element.getAttribute("type") ?? "")
    .split(";", 1)[0]
    ?.trim()
    .toLowerCase() === "application/ld+json"

/** The JSON-LD blocks of the document, and their common faults. */
export const structuredData = ({ elements }: Outline) => {
  const nodes = new JsonLdNodes()
  const found = elements
    .filter(isJsonLd)
    .slice(0, maxBlocks)
    .map((placed) => block(placed, nodes))
  return { structuredData: found, dataFaults: dataFaults(nodes) }
}

/** The distinct `itemtype` names of the document's microdata, in order. */
export const microdataTypes = ({ elements }: Outline): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const { element } of elements) {
    const types = element.getAttribute("itemtype")?.split(/[\t\n\f\r ]+/, maxTypes) ?? []
    for (const type of types) if (type !== "" && found.size < maxTypes) found.add(keep(type, 200))
  }
  return [...found]
}
