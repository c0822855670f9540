interface Options {
  readonly profile: string
  /** The sandbox needs a user other than root. */
  readonly root: boolean
  /** Port of the guard proxy on 127.0.0.1. */
  readonly proxy: number
}

/** Features that call home, change the page, or prompt. */
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

/** Everything goes through the proxy, loopback addresses too; the browser resolves no names itself, and UDP, which SOCKS cannot carry, is not sent. */
const guarded = (proxy: number) => [
  `--proxy-server=socks5://127.0.0.1:${proxy}`,
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp"
]

/** Arguments of a browser that measures one page: quiet, without extensions or caches, on a profile of its own, behind the guard proxy. */
export const chromiumFlags = ({ profile, proxy, root }: Options): ReadonlyArray<string> => [
  "--headless=new",
  "--remote-debugging-port=0",
  "--remote-debugging-address=127.0.0.1",
  `--user-data-dir=${profile}`,
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--no-pings",
  ...guarded(proxy),
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
  "about:blank"
]
