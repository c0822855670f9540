package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// IsGenuine reports whether a delivery is genuine: body is the raw request body, header the value of Service-Signature.
func IsGenuine(body []byte, header, secret string, now time.Time) bool {
	var t string
	var candidates []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch {
		case name == "t" && t == "":
			t = value
		case name == "v1":
			candidates = append(candidates, value)
		}
	}
	sent, err := strconv.ParseInt(t, 10, 64)
	if age := now.Unix() - sent; err != nil || age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	genuine := false
	for _, candidate := range candidates {
		genuine = hmac.Equal([]byte(candidate), expected) || genuine
	}
	return genuine
}
