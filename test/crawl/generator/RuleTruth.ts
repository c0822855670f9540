import type { Doc } from "./Site.ts"
import type { Place, World } from "./World.ts"

/** A crawled page with its document. */
export interface ReadPlace extends Place {
  readonly page: Doc
}

export const isRead = (place: Place): place is ReadPlace => place.page !== null

/** The URLs that a check must name on a site; a check of the whole site names the start page. */
export type Truth = (world: World) => ReadonlyArray<string>

const urlsOf = (places: ReadonlyArray<Place>): ReadonlyArray<string> => places.map(({ url }) => url)

/** A check of any URL. */
export const urls =
  (holds: (place: Place, world: World) => boolean): Truth =>
  (world) =>
    urlsOf([...world.places.values()].filter((place) => holds(place, world)))

/** A check of crawled pages. */
export const pages =
  (holds: (place: ReadPlace, world: World) => boolean): Truth =>
  (world) =>
    urlsOf([...world.places.values()].filter(isRead).filter((place) => holds(place, world)))

/** A check of documents only. */
export const docs = (holds: (doc: Doc, url: string) => boolean): Truth => pages(({ page, url }) => holds(page, url))

/** A check of the site. */
export const site =
  (holds: (world: World) => boolean): Truth =>
  (world) =>
    holds(world) ? [world.start] : []
