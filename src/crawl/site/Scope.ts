import { bareHost, isWeb } from "../../foundation/schema/WebAddress.ts"

/** The site is one host with or without `www.`, over http or https, on its port. */
const nameOf = (url: URL): string => bareHost(url.hostname)

/** Whether `url` belongs to the site of `start`; an explicit port is part of the site, 80 and 443 are the same door. */
export const sameSite = (start: URL, url: URL): boolean =>
  isWeb(url) && nameOf(start) === nameOf(url) && start.port === url.port
