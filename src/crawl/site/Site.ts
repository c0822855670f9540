import * as Option from "effect/Option"
import { parse, refusal } from "../../foundation/outbound/Address.ts"
import { bareHost, isWeb, localName } from "../../foundation/schema/Scalars.ts"
import { hasCredentials } from "../page/Credentials.ts"
import { identity, parseUrl } from "../page/UrlIdentity.ts"

/** The mark of a URL that changes something on request, or opens the form for a change; all given parts must match. */
interface Action {
  /** The platform with such URLs, and its documentation. */
  readonly source: string
  readonly path?: RegExp
  /** The name of a parameter in lower case, and its value; default is any value. */
  readonly parameter?: RegExp
  readonly value?: RegExp
  /** Another parameter that the URL must have too. */
  readonly beside?: RegExp
}

const wooCommerce = "WooCommerce, includes/class-wc-form-handler.php and the Disallow lines that it adds to robots.txt"
const wordPress = "WordPress, get_comment_reply_link and wp_nonce_url in the code reference"
const prestaShop = "PrestaShop, controllers/front/CartController.php and classes/controller/FrontController.php"
const phpBB = "phpBB, ucp.php, posting.php, and the link hashes of viewforum.php and viewtopic.php"
const mediaWiki = "MediaWiki, Manual:Parameters to index.php and Special:UserLogout"
const magento =
  "Adobe Commerce, controllers of Magento_Checkout, Magento_Wishlist, Magento_Catalog, Magento_Sales, Magento_Customer"
const shopify = "Shopify, Ajax Cart API reference and Create cart permalinks"
const drupal = "Drupal, robots.txt of core; the modules Commerce Cart Links, Flag and Ubercart (uc_cart_links)"
const accounts =
  "Drupal, robots.txt of core; Shopify, Customer accounts; Django, django.contrib.auth.urls; Devise, routes"

/** A path pattern that allows a front controller, a country or a language before the path of a cart or an account. */
const at = (path: string): RegExp =>
  new RegExp(String.raw`^(?:/index\.php)?(?:/[a-z]{2}(?:[-_][a-z]{2})?){0,2}(${path})`, "i")

const byParameter: ReadonlyArray<Action & { readonly parameter: RegExp }> = [
  { source: wooCommerce, parameter: /^add[-_]to[-_]cart$/ },
  { source: wooCommerce, parameter: /^(?:remove_item|undo_item|apply_coupon|remove_coupon)$/ },
  { source: wooCommerce, parameter: /^(?:cancel_order|order_again|customer-logout|wc-ajax)$/ },
  { source: "YITH WooCommerce Wishlist", parameter: /^(?:add_to|remove_from)_wishlist$/ },
  { source: "YITH WooCommerce Compare", parameter: /^action$/, value: /^yith-woocompare-/ },
  { source: wordPress, parameter: /^(?:replytocom|_wpnonce)$/ },
  { source: "Jetpack, sharing_process_requests in modules/sharedaddy", parameter: /^share$/ },
  { source: prestaShop, parameter: /^(?:my)?log_?out$/ },
  { source: prestaShop, parameter: /^(?:add|delete|update)$/, beside: /^id_product$/ },
  { source: prestaShop, parameter: /^(?:add|delete)discount$/ },
  {
    source: phpBB,
    path: /\/(?:posting|ucp)\.php$/,
    parameter: /^mode$/,
    value: /^(?:bump|delete|delete_cookies|edit|logout|post|quote|reply|soft_delete)$/
  },
  { source: phpBB, parameter: /^hash$/, beside: /^(?:bookmark|mark|unwatch|watch)$/ },
  { source: mediaWiki, parameter: /^action$/, value: /^(?:delete|logout|markpatrolled|purge|rollback|undelete)$/ },
  {
    source: mediaWiki,
    parameter: /^action$/,
    value: /^(?:protect|revert|submit|unprotect|unwatch|watch)$/,
    beside: /^title$/
  },
  { source: mediaWiki, parameter: /^title$/, value: /^special:userlogout$/ }
]

const byPath: ReadonlyArray<Action & { readonly path: RegExp }> = [
  { source: mediaWiki, path: /\/(special(?::|%3a)userlogout)$/i },
  { source: magento, path: /(\/checkout\/cart\/(?:add|couponpost|delete|updatepost))(?:\/|$)/i },
  { source: magento, path: /(\/wishlist\/index\/(?:add|allcart|cart|fromcart|remove))(?:\/|$)/i },
  { source: magento, path: /(\/catalog\/product_compare\/(?:add|clear|remove))(?:\/|$)/i },
  { source: magento, path: /(\/sales\/order\/reorder)(?:\/|$)/i },
  { source: magento, path: /(\/customer\/account\/logout)\/?$/i },
  { source: `${shopify}; ${drupal}`, path: at(String.raw`/cart/(?:add|change|clear|update)(?=\.js|/|$)`) },
  { source: shopify, path: at(String.raw`/(?:buy|cart)/(?=\d+:\d)`) },
  { source: drupal, path: at(String.raw`/cart-links/(?=\d+-\d)`) },
  { source: drupal, path: at("/(?:comment/reply|flag/flag|flag/unflag)/") },
  { source: accounts, path: at("(?:/users?|/accounts?)?/(?:log_?out|sign_out)(?=/?$)") },
  { source: wooCommerce, path: /(\/customer-logout)\/?$/i }
]

/** The action that a request for the URL would trigger, as its parameter or part of the path; null for a URL that only shows something. */
export const actionOf = ({ pathname, search, searchParams }: URL): string | null => {
  for (const { path } of byPath) {
    const found = path.exec(pathname)?.[1]
    if (found !== undefined) return found.toLowerCase()
  }
  if (search === "") return null
  const entries = [...searchParams].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()] as const)
  for (const { beside, parameter, path, value } of byParameter) {
    const found = entries.find(([name, own]) => parameter.test(name) && (value === undefined || value.test(own)))
    if (found === undefined || path?.test(pathname) === false) continue
    if (beside !== undefined && !entries.some(([name]) => beside.test(name))) continue
    return value === undefined ? `?${found[0]}` : `?${found.join("=")}`
  }
  return null
}

/** The name of a site: one host with or without `www.`. */
const nameOf = (url: URL): string => bareHost(url.hostname)

/** Whether `url` belongs to the site of `start`; an explicit port is part of the site, and 80 and 443 count as one. */
export const sameSite = (start: URL, url: URL): boolean =>
  isWeb(url) && nameOf(start) === nameOf(url) && start.port === url.port

/** Names of this machine or of a private network (RFC 6761 §6.3 and §6.4, RFC 6762 §3, RFC 8375 §3, ICANN's .internal, and router defaults). */
const privateName = /(?:^|\.)(?:localhost|localdomain|local|internal|invalid|intranet|lan|home\.arpa)$/

/** Whether a URL is on this machine or in a private network: by its name, or by a private or reserved IP address (IANA's special-purpose registries). */
const isPrivate = (url: URL): boolean => {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "")
  if (privateName.test(host) || localName(url.href) !== undefined) return true
  return Option.isSome(Option.flatMap(parse(host), (address) => refusal(address, [])))
}

/** Whether no search engine can reach a URL on a page of the site of `start`: it is private, and not on the site's own host. */
export const isOutOfReach = (start: URL, url: URL): boolean => !sameSite(start, url) && isPrivate(url)

/** The normalized URL of a reference from `base`; null when it does not parse, or has a user name or password. */
export const resolve = (reference: string, base: URL): URL | null => {
  const url = parseUrl(reference, base.href)
  return url === null || hasCredentials(url) ? null : new URL(identity(url))
}

/** The parts of a path. */
export const segmentsOf = (url: URL): ReadonlyArray<string> =>
  url.pathname.split("/").filter((segment) => segment !== "")

/**
 * What stays the same over the pages of one kind: the directory with numbers blanked. All parameter sets of one path are one
 * kind, for filters of a list multiply and would each have a share of their own.
 */
export const patternOf = (url: URL): string => {
  const segments = segmentsOf(url)
  const last = segments.length - 1
  const blank = segments.map((segment, index) => {
    if (index === last && last > 0) return "*"
    return segment.replace(/\d+/g, "#")
  })
  return `/${blank.join("/")}${url.search === "" ? "" : "?*"}`
}
