// Package words compares words, so that a message can name the one that was
// probably meant. It knows nothing of models and litmus tests.
package words

// farApart is the distance of words of which one is longer than that.
const farApart = 64

// Distance is the number of letters to be inserted, removed or replaced to make
// one word of the other (Levenshtein's). Long words are simply far apart.
func Distance(a, b string) int {
	if len(a) > farApart || len(b) > farApart {
		return farApart
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
