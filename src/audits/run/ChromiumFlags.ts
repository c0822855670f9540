interface Options {
  readonly profile: string
  /** The sandbox needs a user other than root. */
  readonly root: boolean
  /** Host name of the page and the vetted address to connect to; null when the URL holds the address itself. */
  readonly pin: { readonly host: string; readonly address: string } | null
}

/** Features that would talk to their maker, change the page, or ask questions. */
const unwanted = [
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "GlobalMediaControls",
  "InterestFeedContentSuggestions",
  "MediaRouter",
  "OptimizationHints",
  "Translate"
]

const bracketed = (address: string) => (address.includes(":") ? `[${address}]` : address)

/** Arguments of a browser that measures one page: quiet, without extensions, caches or proxies, on a profile of its own. */
export const chromiumFlags = ({ pin, profile, root }: Options): ReadonlyArray<string> => [
  "--headless=new",
  "--remote-debugging-port=0",
  "--remote-debugging-address=127.0.0.1",
  `--user-data-dir=${profile}`,
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--no-pings",
  "--no-proxy-server",
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-hang-monitor",
  "--disable-popup-blocking",
  "--disable-prompt-on-repost",
  "--disable-sync",
  `--disable-features=${unwanted.join(",")}`,
  "--deny-permission-prompts",
  "--metrics-recording-only",
  "--mute-audio",
  "--password-store=basic",
  "--safebrowsing-disable-auto-update",
  "--use-mock-keychain",
  ...(root ? ["--no-sandbox"] : []),
  ...(pin === null ? [] : [`--host-resolver-rules=MAP ${pin.host} ${bracketed(pin.address)}`]),
  "about:blank"
]
