package report
import ("testing";"os")
func TestTmp(t *testing.T){
 fh,_:=os.Create("/tmp/r/x.html"); if err:=Write(fh,"html",sample());err!=nil{t.Fatal(err)}; fh.Close()
 fh,_=os.Create("/tmp/r/sim.html"); c:=sampleSimulated(); c.Ended=""; if err:=Write(fh,"html",c);err!=nil{t.Fatal(err)}; fh.Close()
}
