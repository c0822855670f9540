package main

import (
	"encoding/json"
	"os"
	"time"
)

func main() {
	var cases []struct {
		Body           []byte
		Header, Secret string
		Now            int64
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, c := range cases {
		verdicts = append(verdicts, IsGenuine(c.Body, c.Header, c.Secret, time.Unix(c.Now, 0)))
	}
	_ = json.NewEncoder(os.Stdout).Encode(verdicts)
}
