/** The site is one host with or without `www.`, over http or https, on its port (DESIGN §5, §6). */
const nameOf = (url: URL): string => url.hostname.replace(/^www\./, "")

const isWeb = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:"

/** Whether `url` belongs to the site of `start`; an explicit port is part of the site, 80 and 443 are the same door. */
export const sameSite = (start: URL, url: URL): boolean =>
  isWeb(url) && nameOf(start) === nameOf(url) && start.port === url.port
